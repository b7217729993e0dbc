// Preloaded into a trial: file functions that lie as a bad disk, driver or kernel would. LIE says
// how. Only blocks of 4096 bytes are lied about.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static int lie(const char* how, size_t count) {
    const char* wanted = getenv("LIE");
    return count == 4096 && wanted && strcmp(wanted, how) == 0;
}

ssize_t pread(int file, void* data, size_t count, off_t at) {
    ssize_t (*real)(int, void*, size_t, off_t) = dlsym(RTLD_NEXT, "pread");
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

int fdatasync(int file) {
    int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync");
    if (lie("not-durable", 4096)) {
        errno = EIO;
        return -1;
    }
    return real(file);
}
