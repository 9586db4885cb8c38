// How near two processors are to each other at this moment: a cache line is passed to and fro between them.
//
//     cc -O2 -pthread -o pingpong pingpong.c; ./pingpong 0 1      prints the nanoseconds of one passage, median of ten
//
// Virtual processors move between cores of the machine below; the same server then costs two or three times as much.

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { passages = 20000, runs = 10 };

static _Alignas(128) atomic_int line;
static int processors[2];

static void pin(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static void pass(int mine) {
    for (int i = 0; i < passages * runs; i++) {
        while (atomic_load_explicit(&line, memory_order_acquire) != mine) {}
        atomic_store_explicit(&line, !mine, memory_order_release);
    }
}

static void *other(void *unused) {
    pin(processors[1]);
    pass(1);
    return unused;
}

static int ascending(const void *a, const void *b) {
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

int main(int count, char **arguments) {
    if (count != 3) return 2;
    processors[0] = atoi(arguments[1]);
    processors[1] = atoi(arguments[2]);
    pthread_t thread;
    pin(processors[0]);
    if (pthread_create(&thread, NULL, other, NULL)) return 1;
    double times[runs];
    for (int run = 0; run < runs; run++) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        for (int i = 0; i < passages; i++) {
            while (atomic_load_explicit(&line, memory_order_acquire) != 0) {}
            atomic_store_explicit(&line, 1, memory_order_release);
        }
        clock_gettime(CLOCK_MONOTONIC, &end);
        times[run] = ((end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec)) / (2.0 * passages);
    }
    pthread_join(thread, NULL);
    qsort(times, runs, sizeof *times, ascending);
    printf("%.0f\n", times[runs / 2]);
}
