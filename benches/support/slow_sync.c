/* Makes every fsync and fdatasync take at least FSYNC_US microseconds, as a disk would that always takes as long: on a
 * file system in memory a durable commit then has a price that is the same on every machine.
 *
 * cc -shared -fPIC -O2 -o slow_sync.so slow_sync.c
 * LD_PRELOAD=./slow_sync.so FSYNC_US=1000 program
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static __thread int exact;

static long held_us(void)
{
    static long value = -1;
    if (value < 0) {
        const char *text = getenv("FSYNC_US");
        value = text ? atol(text) : 1000;
    }
    return value;
}

static int hold(long number, int fd)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    if (!exact) {
        /* The kernel may otherwise wake a sleeper 50 microseconds late. */
        prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
        exact = 1;
    }
    int result = (int) syscall(number, fd);
    int saved = errno;
    until.tv_nsec += held_us() * 1000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
    }
    errno = saved;
    return result;
}

int fsync(int fd)
{
    return hold(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    return hold(SYS_fdatasync, fd);
}
