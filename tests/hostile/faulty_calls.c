// Preloaded into a command: one of its calls to the operating system fails, or transfers less than
// requested.
//
//     FAULT_FOLDER=/tmp/x FAULT_CALL=pwrite FAULT_NTH=3 FAULT_ERRNO=5 FAULT_LOG=/tmp/log
//
// counts calls of that kind on files in this folder, in each process; the third one fails with EIO
// (errno 0: is short), and with FAULT_LASTING=1 all later ones, too. The log reports every fault.
// Calls inside glibc and those of io_uring do not pass this library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int counted;

static int number(const char* name) {
    const char* text = getenv(name);
    return text ? atoi(text) : 0;
}

// Whether a path is in the folder; a relative path counts, since the command runs in the folder.
static int is_in_folder(const char* path) {
    const char* folder = getenv("FAULT_FOLDER");
    if (!folder || !path) return 0;
    return path[0] != '/' || strncmp(path, folder, strlen(folder)) == 0;
}

static void report(const char* call, const char* path, int error) {
    const char* log = getenv("FAULT_LOG");
    if (!log) return;
    char line[PATH_MAX + 64];
    int length = snprintf(line, sizeof line, "%s %d %s\n", call, error, path);
    long file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) return;
    syscall(SYS_write, file, line, length);
    syscall(SYS_close, file);
}

// Returns 0 for a call that continues unchanged, 1 for one that fails, with errno set, 2 for one
// that is short.
static int fault(const char* call, const char* path) {
    const char* wanted = getenv("FAULT_CALL");
    if (!wanted || strcmp(wanted, call) != 0 || !is_in_folder(path)) return 0;
    int now = __atomic_add_fetch(&counted, 1, __ATOMIC_SEQ_CST), nth = number("FAULT_NTH");
    if (now != nth && !(now > nth && number("FAULT_LASTING"))) return 0;
    int error = number("FAULT_ERRNO");
    report(call, path, error);
    errno = error;
    return error ? 1 : 2;
}

static int fault_of_file(const char* call, int file) {
    const char* wanted = getenv("FAULT_CALL");
    if (!wanted || strcmp(wanted, call) != 0) return 0;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (length <= 0 || path[0] != '/') return 0;
    path[length] = '\0';
    return fault(call, path);
}

static void* real(const char* name) { return dlsym(RTLD_NEXT, name); }

// Calls on an open file. `LESS` is the code of a short call; calls that cannot be short fail with
// EIO.
#define ON_FILE(type, name, word, failed, parameters, arguments, LESS) \
    type name parameters {                                             \
        type(*own) parameters = (type(*) parameters)real(#name);       \
        int how = fault_of_file(word, file);                           \
        if (how == 1) return failed;                                   \
        if (how == 2) LESS;                                            \
        return own arguments;                                          \
    }
#define HALF count = count > 1 ? count / 2 : count
#define FEWER count = count > 1 ? 1 : count
#define NO_SHORT return (errno = EIO, -1)

ON_FILE(ssize_t, read, "read", -1, (int file, void* data, size_t count), (file, data, count), HALF)
ON_FILE(ssize_t, write, "write", -1, (int file, const void* data, size_t count),
        (file, data, count), HALF)
typedef const struct iovec pieces;
#define AT_OFFSET(name, word, data_type, count_type, LESS)                                   \
    ON_FILE(ssize_t, name, word, -1, (int file, data_type data, count_type count, off_t at), \
            (file, data, count, at), LESS)
AT_OFFSET(pread, "pread", void*, size_t, HALF)
AT_OFFSET(pread64, "pread", void*, size_t, HALF)
AT_OFFSET(preadv, "pread", pieces*, int, FEWER)
AT_OFFSET(preadv64, "pread", pieces*, int, FEWER)
AT_OFFSET(pwrite, "pwrite", const void*, size_t, HALF)
AT_OFFSET(pwrite64, "pwrite", const void*, size_t, HALF)
AT_OFFSET(pwritev, "pwrite", pieces*, int, FEWER)
AT_OFFSET(pwritev64, "pwrite", pieces*, int, FEWER)
ON_FILE(ssize_t, preadv2, "pread", -1, (int file, pieces* data, int count, off_t at, int flags),
        (file, data, count, at, flags), FEWER)
ON_FILE(ssize_t, pwritev2, "pwrite", -1, (int file, pieces* data, int count, off_t at, int flags),
        (file, data, count, at, flags), FEWER)
ON_FILE(int, fsync, "fsync", -1, (int file), (file), NO_SHORT)
ON_FILE(int, fdatasync, "fdatasync", -1, (int file), (file), NO_SHORT)
ON_FILE(int, ftruncate, "ftruncate", -1, (int file, off_t size), (file, size), NO_SHORT)
ON_FILE(int, ftruncate64, "ftruncate", -1, (int file, off_t size), (file, size), NO_SHORT)
ON_FILE(int, fallocate, "fallocate", -1, (int file, int mode, off_t at, off_t size),
        (file, mode, at, size), NO_SHORT)
ON_FILE(int, fallocate64, "fallocate", -1, (int file, int mode, off_t at, off_t size),
        (file, mode, at, size), NO_SHORT)
ON_FILE(int, posix_fallocate, "fallocate", errno, (int file, off_t at, off_t size),
        (file, at, size), return EIO)
ON_FILE(int, posix_fallocate64, "fallocate", errno, (int file, off_t at, off_t size),
        (file, at, size), return EIO)
ON_FILE(int, flock, "flock", -1, (int file, int kind), (file, kind), NO_SHORT)
ON_FILE(int, fstat, "stat", -1, (int file, struct stat* into), (file, into), NO_SHORT)
ON_FILE(int, fstat64, "stat", -1, (int file, struct stat64* into), (file, into), NO_SHORT)
#define MAPPED (void* where, size_t size, int may, int flags, int file, off_t at)
ON_FILE(void*, mmap, "mmap", MAP_FAILED, MAPPED, (where, size, may, flags, file, at),
        return (errno = EIO, MAP_FAILED))
ON_FILE(void*, mmap64, "mmap", MAP_FAILED, MAPPED, (where, size, may, flags, file, at),
        return (errno = EIO, MAP_FAILED))

// The kernel closes a file whatever it returns.
int close(int file) {
    int (*own)(int) = (int (*)(int))real("close");
    int how = fault_of_file("close", file), error = errno;
    int closed = own(file);
    if (!how) return closed;
    errno = error ? error : EIO;
    return -1;
}

// Calls on a path.
#define ON_PATH(type, name, word, failed, parameters, arguments, path) \
    type name parameters {                                             \
        type(*own) parameters = (type(*) parameters)real(#name);       \
        if (fault(word, path)) {                                       \
            if (!errno) errno = EIO;                                   \
            return failed;                                             \
        }                                                              \
        return own arguments;                                          \
    }
ON_PATH(int, rename, "rename", -1, (const char* from, const char* to), (from, to), to)
ON_PATH(int, renameat, "rename", -1, (int a, const char* from, int b, const char* to),
        (a, from, b, to), to)
ON_PATH(int, renameat2, "rename", -1,
        (int a, const char* from, int b, const char* to, unsigned how), (a, from, b, to, how), to)
ON_PATH(int, link, "link", -1, (const char* from, const char* to), (from, to), to)
ON_PATH(int, linkat, "link", -1, (int a, const char* from, int b, const char* to, int how),
        (a, from, b, to, how), to)
ON_PATH(int, unlink, "unlink", -1, (const char* path), (path), path)
ON_PATH(int, unlinkat, "unlink", -1, (int folder, const char* path, int how), (folder, path, how),
        path)
ON_PATH(int, rmdir, "unlink", -1, (const char* path), (path), path)
ON_PATH(int, mkdir, "mkdir", -1, (const char* path, mode_t mode), (path, mode), path)
ON_PATH(int, stat, "stat", -1, (const char* path, struct stat* into), (path, into), path)
ON_PATH(int, lstat, "stat", -1, (const char* path, struct stat* into), (path, into), path)
ON_PATH(int, stat64, "stat", -1, (const char* path, struct stat64* into), (path, into), path)
ON_PATH(int, lstat64, "stat", -1, (const char* path, struct stat64* into), (path, into), path)
ON_PATH(int, statx, "stat", -1,
        (int folder, const char* path, int how, unsigned what, struct statx* into),
        (folder, path, how, what, into), path)
ON_PATH(FILE*, fopen, "open", NULL, (const char* path, const char* how), (path, how), path)
ON_PATH(FILE*, fopen64, "open", NULL, (const char* path, const char* how), (path, how), path)

static mode_t mode_in(int how, va_list more) {
    return how & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
}
#define OPEN(name, parameters, ...)                            \
    int name parameters {                                      \
        int(*own) parameters = (int(*) parameters)real(#name); \
        va_list more;                                          \
        va_start(more, how);                                   \
        mode_t mode = mode_in(how, more);                      \
        va_end(more);                                          \
        if (fault("open", path)) {                             \
            if (!errno) errno = EIO;                           \
            return -1;                                         \
        }                                                      \
        return own(__VA_ARGS__);                               \
    }
OPEN(open, (const char* path, int how, ...), path, how, mode)
OPEN(open64, (const char* path, int how, ...), path, how, mode)
OPEN(openat, (int folder, const char* path, int how, ...), folder, path, how, mode)
OPEN(openat64, (int folder, const char* path, int how, ...), folder, path, how, mode)
