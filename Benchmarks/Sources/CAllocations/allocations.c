#define _GNU_SOURCE
#include "allocations.h"

#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#if defined(__GLIBC__)
#include <errno.h>
#include <malloc.h>

// The executable's malloc stands before libc's: everything in the process comes through here.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

// One thread measures; a lost count on another one would not matter.
static uint64_t total;

void *malloc(size_t size) {
    total += 1;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    total += 1;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    total += 1;
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    total += 1;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    total += 1;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    total += 1;
    void *made = __libc_memalign(alignment, size);
    if (made == NULL) return ENOMEM;
    *block = made;
    return 0;
}

bool allocations_counted(void) { return true; }
uint64_t allocations_total(void) { return total; }
uint64_t allocations_live_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return (uint64_t)info.uordblks + (uint64_t)info.hblkhd;
}
void allocations_trim(void) { malloc_trim(0); }
#else
bool allocations_counted(void) { return false; }
uint64_t allocations_total(void) { return 0; }
uint64_t allocations_live_bytes(void) { return 0; }
void allocations_trim(void) {}
#endif

uint64_t thread_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
