#ifndef SLUICE_ALLOCATIONS_H
#define SLUICE_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

/// Whether calls of the allocator are counted on this system.
bool allocations_counted(void);

/// Calls of malloc and its kin since the process began.
uint64_t allocations_total(void);

/// Bytes the allocator has handed out and not got back; 0 where that is not known.
uint64_t allocations_live_bytes(void);

/// Gives what is free back to the system, as far as the C library can.
void allocations_trim(void);

/// CPU time of this thread in nanoseconds: other work on the machine disturbs it less than wall-clock time.
uint64_t thread_nanoseconds(void);

#endif
