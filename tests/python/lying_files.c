// Preloaded into a trial: file functions that err as a bad disk, driver or kernel would. LIE names
// the fault. Only blocks of 4096 bytes are affected.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>

static int lie(const char* how, size_t count) {
    const char* wanted = getenv("LIE");
    return count == 4096 && wanted && strcmp(wanted, how) == 0;
}

static volatile int written;  // by a controller: what comes before is another sync

static int broken(const char* how, size_t count) {
    if (!lie(how, count)) return 0;
    errno = EIO;
    return 1;
}

// io_uring cannot be intercepted, so it is forbidden.
__attribute__((constructor)) static void forbid_uring(void) {
    const char* wanted = getenv("LIE");
    if (!wanted || strncmp(wanted, "broken", 6) != 0) return;
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog all = {sizeof steps / sizeof steps[0], steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) != 0)
        abort();
}

ssize_t pread(int file, void* data, size_t count, off_t at) {
    ssize_t (*real)(int, void*, size_t, off_t) = dlsym(RTLD_NEXT, "pread");
    if (broken("broken-read", count)) return -1;
    if (lie("misplaced", count) && at >= 4096) return real(file, data, count, at - 4096);
    ssize_t got = real(file, data, count, at);
    if (lie("damaged", count) && got > 100) ((char*)data)[100] ^= 4;
    if (lie("untouched", count)) memset(data, 0, count);
    if (lie("torn", count)) memset((char*)data + 2048 + 256, 0, 256);
    return lie("short", count) ? got / 2 : got;
}

ssize_t pwrite(int file, const void* data, size_t count, off_t at) {
    ssize_t (*real)(int, const void*, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite");
    if (lie("lost", count)) return (ssize_t)count;
    if (lie("half-written", count)) return real(file, data, count / 2, at);
    if (lie("full", count)) {
        errno = ENOSPC;
        return -1;
    }
    return real(file, data, count, at);
}

ssize_t pwritev2(int file, const struct iovec* data, int count, off_t at, int flags) {
    ssize_t (*real)(int, const struct iovec*, int, off_t, int) = dlsym(RTLD_NEXT, "pwritev2");
    written = 1;
    return broken("broken-write", data->iov_len) ? -1 : real(file, data, count, at, flags);
}

int openat(int folder, const char* path, int flags, ...) {
    int (*real)(int, const char*, int, ...) = dlsym(RTLD_NEXT, "openat");
    va_list given;
    va_start(given, flags);
    const unsigned mode = va_arg(given, unsigned);
    va_end(given);
    if ((flags & O_TMPFILE) == O_TMPFILE && lie("named", 4096)) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return real(folder, path, flags, mode);
}

int fdatasync(int file) {
    int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync");
    if (lie("not-durable", 4096)) {
        errno = EIO;
        return -1;
    }
    return written && broken("broken-sync", 4096) ? -1 : real(file);
}
