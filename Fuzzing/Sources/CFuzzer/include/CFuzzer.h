#pragma once
#include <stddef.h>
#include <stdint.h>

/// Runs libFuzzer with the given arguments, calling `target` with every input (https://llvm.org/docs/LibFuzzer.html).
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*target)(const uint8_t *bytes, size_t size));
