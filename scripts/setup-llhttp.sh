#!/usr/bin/env bash
# Makes pkg-config know `libllhttp`. Where the system already does, nothing is done.
#
# Debian 12 has no -dev package: the C sources that its `node-llhttp` package carries are compiled into a static
# library. LLHTTP_STRICT_MODE matters: the default build accepts a bare CR inside a header block and a space before a
# header's colon, both of which let a request mean two things to two parsers. The server tests this at every start.
#
#   PREFIX   where to install (default /usr/local)
set -euo pipefail

prefix=${PREFIX:-/usr/local}
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
if pkg-config --exists libllhttp; then
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Only the sources are wanted, not the JavaScript runtime the package depends on: unpack it, do not install it.
if [ -f /usr/share/llhttp/llhttp.c ]; then
    sources=/usr/share/llhttp
    header=/usr/share/include/llhttp/llhttp.h
else
    (cd "$work" && chmod 777 . && apt-get download -q node-llhttp >/dev/null)
    dpkg-deb -x "$work"/node-llhttp_*.deb "$work/package"
    sources=$work/package/usr/share/llhttp
    header=$work/package/usr/share/include/llhttp/llhttp.h
fi
version=$(awk '/#define LLHTTP_VERSION_(MAJOR|MINOR|PATCH)/ { v = v (v ? "." : "") $3 } END { print v }' "$header")

compiler=$(command -v cc || command -v clang)
for file in api http llhttp; do
    "$compiler" -O3 -fPIC -DLLHTTP_STRICT_MODE=1 -I "$(dirname "$header")" -c "$sources/$file.c" -o "$work/$file.o"
done
ar rcs "$work/libllhttp.a" "$work"/{api,http,llhttp}.o

install -d "$prefix/lib/pkgconfig" "$prefix/include"
install -m 644 "$work/libllhttp.a" "$prefix/lib/"
install -m 644 "$header" "$prefix/include/llhttp.h"
cat >"$prefix/lib/pkgconfig/libllhttp.pc" <<PC
prefix=$prefix
Name: libllhttp
Description: HTTP/1.1 parser, built in strict mode
Version: $version
Cflags: -I\${prefix}/include
Libs: -L\${prefix}/lib -lllhttp
PC
echo "libllhttp $version (strict) installed in $prefix"
