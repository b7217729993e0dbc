#include "sites.hpp"

#include "../records/writer.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>
#include <unwind.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace watari::attach {
namespace {

constexpr std::size_t most_frames = 8;
constexpr std::size_t deepest = 48;
constexpr std::array<std::string_view, 4> not_the_program = {"libcuda.so", "libcupti.so",
                                                             "libcudart.so", "libwatari_"};

struct stack {
    std::array<std::uintptr_t, deepest> frames;
    std::size_t count = 0;
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* argument) {
    auto& found = *static_cast<stack*>(argument);
    const auto address = _Unwind_GetIP(context);
    if (address) {
        found.frames[found.count++] = address;
    }
    return address && found.count < deepest ? _URC_NO_REASON : _URC_END_OF_STACK;
}

// The path of a module. A library's name may be relative; the main program's is as it was called.
std::string full_path(const char* name) {
    if (name[0] == '/') {
        return name;
    }
    std::array<char, PATH_MAX> path{};
    if (std::strcmp(name, program_invocation_name) != 0 && realpath(name, path.data())) {
        return path.data();
    }
    const auto length = readlink("/proc/self/exe", path.data(), path.size() - 1);
    return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : name;
}

bool is_of_program(std::string_view module) {
    const auto file = module.substr(module.rfind('/') + 1);
    return std::none_of(not_the_program.begin(), not_the_program.end(),
                        [&](std::string_view name) { return file.starts_with(name); });
}

// Module and offset of an address; empty if it is not the program's.
std::string words_of(std::uintptr_t address) {
    Dl_info info{};
    if (!dladdr(reinterpret_cast<void*>(address), &info) || !info.dli_fname ||
        !is_of_program(info.dli_fname)) {
        return {};
    }
    std::array<char, 24> offset{};
    std::snprintf(offset.data(), offset.size(), "+0x%zx",
                  address - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
    return full_path(info.dli_fname) + offset.data();
}

// dladdr looks at every symbol of a module, and libraries of PyTorch have 100,000: each address is
// looked up once, until a library is unloaded: another one may get its addresses.
struct known_addresses {
    std::mutex lock;
    std::unordered_map<std::uintptr_t, std::string> words;
    std::unordered_map<std::string, std::uint64_t> stacks;  // by the stack's addresses
    unsigned long long unloaded = 0;                        // unloaded_libraries() at the lookups
};

known_addresses& known() {  // never destroyed: threads of the program call until it has ended
    static auto* all = new known_addresses;
    return *all;
}

// Returns the number of libraries unloaded so far. No thread holds the lock of dl_iterate_phdr
// while a library's constructors run.
unsigned long long unloaded_libraries() {
    unsigned long long count = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* library, std::size_t, void* found) {
            *static_cast<unsigned long long*>(found) = library->dlpi_subs;
            return 1;  // each library has the same number
        },
        &count);
    return count;
}

void forget_unloaded() {
    const auto unloaded = unloaded_libraries();
    const std::lock_guard hold(known().lock);
    if (known().unloaded != unloaded) {
        known().words.clear();
        known().stacks.clear();
        known().unloaded = unloaded;
    }
}

// Holds no lock while dladdr waits for the loader: a thread that loads a library holds the loader's
// lock, and may call a copy in a constructor.
std::string known_words(std::uintptr_t address) {
    {
        const std::lock_guard hold(known().lock);
        const auto row = known().words.find(address);
        if (row != known().words.end()) {
            return row->second;
        }
    }
    auto words = words_of(address);
    const std::lock_guard hold(known().lock);
    return known().words.emplace(address, std::move(words)).first->second;
}

std::string text_of(const stack& found) {
    std::string text;
    std::size_t shown = 0;
    for (std::size_t i = 0; i < found.count && shown < most_frames; ++i) {
        const auto words = known_words(found.frames[i] - 1);  // inside the call, not after it
        if (!words.empty()) {
            text += (shown++ ? "\t" : "") + words;
        }
    }
    return text.empty() ? "unknown" : text;
}

}  // namespace

std::uint64_t call_site() {
    stack found;
    _Unwind_Backtrace(add_frame, &found);
    forget_unloaded();
    const std::string addresses(reinterpret_cast<const char*>(found.frames.data()),
                                found.count * sizeof found.frames[0]);
    {
        const std::lock_guard hold(known().lock);
        const auto row = known().stacks.find(addresses);
        if (row != known().stacks.end()) {
            return row->second;
        }
    }
    const auto site = writer::intern("site", text_of(found));
    const std::lock_guard hold(known().lock);
    return known().stacks.emplace(addresses, site).first->second;
}

}  // namespace watari::attach
