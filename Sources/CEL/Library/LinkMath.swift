// Rounding and remainders of doubles call the C library's; importing it here has it linked.
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif
