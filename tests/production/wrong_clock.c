/* A clock that is wrong: what day it is, not how long things take.
 *
 * It is SECONDS_AHEAD of the machine's; or as far as the file CLOCK_FILE says at that moment, so
 * that it jumps under processes that run. The file is of struct jumps: seconds for all processes,
 * and for some of them with their children.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define MOST 16

struct jumps {
    long of_all, some;
    struct { long process, seconds; } of[MOST];
};

static const volatile struct jumps *jumps;

__attribute__((constructor)) static void open_file(void) {
    const char *path = getenv("CLOCK_FILE");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *place = mmap(NULL, sizeof(struct jumps), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (place != MAP_FAILED)
        jumps = place;
}

static long ahead(void) {
    if (!jumps) {
        const char *seconds = getenv("SECONDS_AHEAD");
        return seconds ? atol(seconds) : 0;
    }
    for (long n = 0; n < jumps->some && n < MOST; n++)
        if (jumps->of[n].process == getpid() || jumps->of[n].process == getppid())
            return jumps->of[n].seconds;
    return jumps->of_all;
}

int clock_gettime(clockid_t kind, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real)
        real = dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(kind, now);
    if (!failed && (kind == CLOCK_REALTIME || kind == CLOCK_REALTIME_COARSE))
        now->tv_sec += ahead();
    return failed;
}

time_t time(time_t *place) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place)
        *place = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *now, void *zone) {
    struct timespec precise;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}
