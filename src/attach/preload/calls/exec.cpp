// Follows programs that a program becomes or starts with another LD_PRELOAD or environment: this
// library is put in front of theirs, and the variables that it reads are added. So `env -i ./a.out`
// and `sh -c 'LD_PRELOAD=libjemalloc.so ./a.out'` are followed, too.
//
// Programs that system() and popen() start after a change of LD_PRELOAD are not followed: these
// calls are inside glibc.
#include <dlfcn.h>
#include <spawn.h>
#include <unistd.h>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../driver/real.hpp"

extern char** environ;

namespace attach {
namespace {

using exec = int(const char*, char* const*, char* const*);
using spawn = int(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,
                  char* const*, char* const*);

// Variables for both libraries, as at the start of this process: `NAME=VALUE`, null if not set.
// A process is followed if it has one of the first two.
constexpr const char* names[] = {"WATARI_ATTACH_LOG",          "WATARI_CHANGES",
                                 "WATARI_CHANGES_VERSION",     "WATARI_CHANGES_VERBOSE",
                                 "WATARI_ATTACH_STYLE",        "WATARI_ATTACH_RULES",
                                 "WATARI_TRACE_FOLDER",        "WATARI_TRACE_CUPTI",
                                 "WATARI_TRACE_EVICT",         "CUDA_INJECTION64_PATH",
                                 "WATARI_TRACE_EVICT_SECONDS", "WATARI_TRACE_EVICT_UNTIL",
                                 "WATARI_CHANGES_PREFETCHES",  "WATARI_ATTACH_CLOCK",
                                 "WATARI_CHANGES_HUGE",        "WATARI_TRACE_EVICT_ONLY"};
constexpr char changes[] = "WATARI_CHANGES";  // of an inner `watari exec`: replaces all of ours
constexpr std::size_t name_count = sizeof names / sizeof *names;
char* kept[name_count];
char own_path[4096];
exec* real_execve;
exec* real_execvpe;
spawn* real_posix_spawn;
spawn* real_posix_spawnp;

// A function of glibc. It is looked up before main: between fork and exec the loader's lock may be
// held by a thread that the child does not have.
template <class Function>
Function* real(Function*& known, const char* name) {
    if (!known) known = reinterpret_cast<Function*>(real_dlsym()(RTLD_NEXT, name));
    return known;
}

__attribute__((constructor)) void look_up() {
    Dl_info found{};
    if (dladdr(own_path, &found) && found.dli_fname &&
        std::strlen(found.dli_fname) < sizeof own_path)
        std::strcpy(own_path, found.dli_fname);
    for (std::size_t i = 0; i < name_count; ++i)
        if (const char* value = std::getenv(names[i]); value && (*value || i > 1))
            if (asprintf(&kept[i], "%s=%s", names[i], value) < 0) kept[i] = nullptr;
    real(real_execve, "execve");
    real(real_execvpe, "execvpe");
    real(real_posix_spawn, "posix_spawn");
    real(real_posix_spawnp, "posix_spawnp");
}

constexpr char preload[] = "LD_PRELOAD=";
constexpr std::size_t prefix = sizeof preload - 1;

// Index of a variable in an environment; -1 if it is absent.
int place_of(const char* name, char* const* given) {
    const std::size_t length = std::strlen(name);
    for (int at = 0; given && given[at]; ++at)
        if (std::strncmp(given[at], name, length) == 0 && given[at][length] == '=') return at;
    return -1;
}

bool is_of_changes(const char* name) {
    return std::strncmp(name, changes, sizeof changes - 1) == 0;
}

// A copy of an environment, with this library in LD_PRELOAD and the variables that it reads, if
// this process has them. The object contains the copy: after vfork no allocator may be called.
class followed {
public:
    explicit followed(char* const* given) : variables(given) {
        std::size_t count = 0;
        while (given && given[count]) ++count;
        if ((!kept[0] && !kept[1]) || !*own_path || count + name_count + 2 > most) return;
        const int of_changes = place_of(changes, given);
        const bool is_left = of_changes >= 0 && !given[of_changes][sizeof changes];
        if (is_left && !kept[0]) return;  // an inner `watari exec` without this library
        const int at = place_of("LD_PRELOAD", given);
        const char* others = at < 0 ? "" : given[at] + prefix;
        if (prefix + std::strlen(own_path) + std::strlen(others) + 2 > sizeof text) return;
        if (given) std::memcpy(copy, given, count * sizeof *copy);
        if (!std::strstr(others, own_path)) {
            std::strcat(std::strcpy(text, preload), own_path);
            if (*others) std::strcat(std::strcat(text, ":"), others);
            copy[at < 0 ? count++ : static_cast<std::size_t>(at)] = text;
        }
        for (std::size_t i = 0; i < name_count; ++i)
            if (kept[i] && place_of(names[i], given) < 0 &&
                (of_changes < 0 || !is_of_changes(names[i])))
                copy[count++] = kept[i];
        copy[count] = nullptr;
        variables = copy;
    }
    operator char* const*() const { return variables; }

private:
    static constexpr std::size_t most = 4096;  // larger environments are not followed
    char text[8192];
    char* copy[most];
    char* const* variables;
};

// Elements of the array for the arguments of execl; more arguments give E2BIG.
constexpr std::size_t most_arguments = 1024;

}  // namespace
}  // namespace attach

using namespace attach;

#define WATARI_EXPORTED extern "C" __attribute__((visibility("default")))

WATARI_EXPORTED int execve(const char* path, char* const* arguments, char* const* variables) {
    return real(real_execve, "execve")(path, arguments, followed(variables));
}

WATARI_EXPORTED int execvpe(const char* file, char* const* arguments, char* const* variables) {
    return real(real_execvpe, "execvpe")(file, arguments, followed(variables));
}

WATARI_EXPORTED int execv(const char* path, char* const* arguments) {
    return execve(path, arguments, environ);
}

WATARI_EXPORTED int execvp(const char* file, char* const* arguments) {
    return execvpe(file, arguments, environ);
}

#define WATARI_COLLECT(last)                                                 \
    char* arguments[most_arguments] = {const_cast<char*>(first)};            \
    va_list rest;                                                            \
    va_start(rest, first);                                                   \
    for (std::size_t i = 1; arguments[i - 1] && i + 1 < most_arguments; ++i) \
        arguments[i] = va_arg(rest, char*);                                  \
    last va_end(rest);                                                       \
    if (arguments[most_arguments - 2]) {                                     \
        errno = E2BIG;                                                       \
        return -1;                                                           \
    }

WATARI_EXPORTED int execl(const char* path, const char* first, ...) {
    WATARI_COLLECT()
    return execve(path, arguments, environ);
}

WATARI_EXPORTED int execlp(const char* file, const char* first, ...) {
    WATARI_COLLECT()
    return execvpe(file, arguments, environ);
}

WATARI_EXPORTED int execle(const char* path, const char* first, ...) {
    char* const* variables;
    WATARI_COLLECT(variables = va_arg(rest, char* const*);)
    return execve(path, arguments, variables);
}

WATARI_EXPORTED int posix_spawn(pid_t* child, const char* path,
                                const posix_spawn_file_actions_t* actions,
                                const posix_spawnattr_t* attributes, char* const* arguments,
                                char* const* variables) {
    return real(real_posix_spawn, "posix_spawn")(child, path, actions, attributes, arguments,
                                                 followed(variables));
}

WATARI_EXPORTED int posix_spawnp(pid_t* child, const char* file,
                                 const posix_spawn_file_actions_t* actions,
                                 const posix_spawnattr_t* attributes, char* const* arguments,
                                 char* const* variables) {
    return real(real_posix_spawnp, "posix_spawnp")(child, file, actions, attributes, arguments,
                                                   followed(variables));
}
