/* Lets the calls STARVE_FIRST to STARVE_LAST of pthread_create fail, which count from 0, as a limit of processes does.
 * What the program starts is not affected. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_long calls;

__attribute__((constructor)) static void begin(void) { unsetenv("LD_PRELOAD"); }

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    const char *first = getenv("STARVE_FIRST"), *last = getenv("STARVE_LAST");
    long call = atomic_fetch_add(&calls, 1);
    if (first && last && call >= atol(first) && call <= atol(last)) return EAGAIN;
    return real(thread, attributes, start, argument);
}
