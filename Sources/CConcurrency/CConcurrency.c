#include "CConcurrency.h"

#include <stddef.h>

#define SWIFT_CALL __attribute__((swiftcall))
#ifdef __APPLE__
#define OPTIONAL __attribute__((weak_import))
#else
#define OPTIONAL __attribute__((weak))
#endif

extern SWIFT_CALL cconcurrency_executor swift_task_getCurrentExecutor(void);
extern SWIFT_CALL void *swift_task_getCurrent(void);
// Since Swift 5.7 and 6.2.
extern SWIFT_CALL uint64_t swift_task_getJobTaskId(void *task) OPTIONAL;
extern SWIFT_CALL bool swift_task_isCurrentExecutorWithFlags(cconcurrency_executor, uint64_t flags) OPTIONAL;

cconcurrency_executor cconcurrency_current_executor(void) { return swift_task_getCurrentExecutor(); }

int cconcurrency_is_current(cconcurrency_executor executor) {
    if (swift_task_isCurrentExecutorWithFlags == NULL) return -1;
    // Without flags it answers; with its only flag it may stop the program instead.
    return swift_task_isCurrentExecutorWithFlags(executor, 0);
}

uint64_t cconcurrency_current_task(void) {
    void *task = swift_task_getCurrent();
    if (task == NULL) return 0;
    if (swift_task_getJobTaskId == NULL) return (uint64_t)(uintptr_t)task;
    return swift_task_getJobTaskId(task);
}
