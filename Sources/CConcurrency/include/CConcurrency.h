#ifndef CCONCURRENCY_H
#define CCONCURRENCY_H

#include <stdbool.h>
#include <stdint.h>

// Questions to the runtime of Swift's concurrency that no public function answers without stopping
// the program. The functions below belong to the runtime's stable interface: compiled programs
// call them. Their names are reserved in Swift, hence C. Only debug builds ask.

/// A serial executor as the runtime passes it, with the layout of `UnownedSerialExecutor`.
///
/// `identity` is the executor's object, or the actor's for an actor that has no other executor.
/// It is 0 for the concurrent executor of tasks that no actor isolates.
typedef struct {
    uintptr_t identity;
    uintptr_t implementation;
} cconcurrency_executor;

/// The executor that the caller runs on; `identity` is 0 outside tasks.
cconcurrency_executor cconcurrency_current_executor(void);

/// Whether the caller runs on `executor`: 1 or 0; -1 where the runtime is older than Swift 6.2.
int cconcurrency_is_current(cconcurrency_executor executor);

/// The number of the task that the caller runs in; 0 outside tasks.
uint64_t cconcurrency_current_task(void);

#endif
