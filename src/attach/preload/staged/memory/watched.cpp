// Memory whose pages another thread of the program makes (userfaultfd). A copy of it stays in the
// thread that asked for it: the maker of pages may wait for that thread, or not expect others. The
// kernel does not say which mapping is watched, so a process that watches any stages nothing.
#include <dlfcn.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

#include <cstdarg>

#include "../../driver/real.hpp"
#include "ranges.hpp"

namespace attach::staged {
namespace {

bool is_any_watched = false;

}  // namespace

bool are_pages_watched() { return __atomic_load_n(&is_any_watched, __ATOMIC_RELAXED); }

}  // namespace attach::staged

extern "C" __attribute__((visibility("default"))) int ioctl(int file, unsigned long request,
                                                            ...) noexcept {
    using function = int (*)(int, unsigned long, void*);
    static function known = nullptr;
    function real = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!real) {
        real = reinterpret_cast<function>(attach::real_dlsym()(RTLD_NEXT, "ioctl"));
        __atomic_store_n(&known, real, __ATOMIC_RELAXED);
    }
    std::va_list arguments;
    va_start(arguments, request);
    void* argument = va_arg(arguments, void*);
    va_end(arguments);
    if (request == UFFDIO_REGISTER)
        __atomic_store_n(&attach::staged::is_any_watched, true, __ATOMIC_RELAXED);
    return real(file, request, argument);
}
