// Pages that are on the other side cannot be accessed (mprotect); the signal of a touch is the
// fault. A read-mostly page can be on both. The CPU has no page table entry for a page that is on
// the GPU alone: the memory is shared, so that its bytes stay.
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "../observe.hpp"

fake::observer fake_cuda_observer = nullptr;

namespace fake::residency {
namespace {

constexpr std::size_t page = 64 * 1024;
constexpr int cpu_device = -1;

struct sides {
    bool cpu, gpu, is_read_mostly;
};

struct range {
    std::size_t bytes;
    std::vector<sides> pages;
    int preferred = no_device;
    bool is_accessed = false;  // by the GPU
    bool is_mapped() const { return is_accessed && preferred == cpu_device; }
};
std::map<device_pointer, range> watched;
std::recursive_mutex lock;
thread_local bool is_gpu = false;
thread_local remote used;
long long read_mostly = 0;  // bytes
struct sigaction before;

void protect(device_pointer pointer, const range& in, std::size_t index) {
    const std::size_t size = std::min(page, in.bytes - index * page);
    const auto [cpu, gpu, is_read_mostly] = in.pages[index];
    auto* memory = reinterpret_cast<void*>(pointer + index * page);
    mprotect(memory, size,
             !(is_gpu ? gpu : cpu) ? PROT_NONE
             : cpu && gpu          ? PROT_READ
                                   : PROT_READ | PROT_WRITE);
    if (!is_gpu && !cpu) madvise(memory, size, MADV_DONTNEED);  // what the GPU used
}

void make_read_mostly(const range& in, std::size_t index, bool& now, bool wanted) {
    const auto bytes = static_cast<long long>(std::min(page, in.bytes - index * page));
    if (now != wanted) read_mostly += wanted ? bytes : -bytes;
    now = wanted;
    counted.read_mostly = std::max(counted.read_mostly, read_mostly);
}

void protect_all() {
    for (const auto& [pointer, in] : watched)
        for (std::size_t i = 0; i < in.pages.size(); ++i) protect(pointer, in, i);
}

bool is_write(const void* context) {
#ifdef __x86_64__
    return static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & 2;
#else
    return context == nullptr;
#endif
}

void report(sight what, device_pointer address, std::size_t bytes, bool writes) {
    const std::uint64_t start = now();
    fake_cuda_observer({.what = what,
                        .address = address,
                        .bytes = bytes,
                        .start = start,
                        .end = start + 1000,
                        .by_gpu = is_gpu,
                        .writes = writes});
}

bool take_fault(device_pointer address, bool writes) {
    const std::lock_guard hold(lock);
    auto found = watched.upper_bound(address);
    if (found == watched.begin()) return false;
    --found;
    auto& [pointer, in] = *found;
    if (address >= pointer + in.bytes) return false;
    const std::size_t index = (address - pointer) / page;
    sides& now = in.pages[index];
    const sides was = now;
    bool& here = is_gpu ? now.gpu : now.cpu;
    bool& there = is_gpu ? now.cpu : now.gpu;
    if (here && !there) return false;
    const std::size_t size = std::min(page, in.bytes - index * page);
    if (is_gpu && now.cpu && in.is_mapped()) {  // until `protect_all`
        mprotect(reinterpret_cast<void*>(pointer + index * page), size, PROT_READ | PROT_WRITE);
        used.link += size;
        return true;
    }
    const bool moves = !here && there;
    here = true;
    if (writes || !now.is_read_mostly) there = false;
    if (was.cpu == now.cpu && was.gpu == now.gpu) return false;
    protect(pointer, in, index);
    report(sight::faulted, address, 1, writes);
    if (moves)
        report(is_gpu ? sight::moved_to_gpu : sight::moved_to_cpu, pointer + index * page, size,
               writes);
    if (moves && is_gpu) used.faulted += size;
    return true;
}

void on_signal(int, siginfo_t* info, void* context) {
    if (!take_fault(bits(info->si_addr), is_write(context)))
        sigaction(SIGSEGV, &before, nullptr);  // a fault of the program's own: it happens again
}

}  // namespace

void add(device_pointer pointer, std::size_t bytes) {
    if (!fake_cuda_observer) return;
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action {};
        action.sa_sigaction = on_signal;
        action.sa_flags = SA_SIGINFO | SA_NODEFER;
        sigaction(SIGSEGV, &action, &before);
    });
    const std::lock_guard hold(lock);
    const std::size_t pages = (bytes + page - 1) / page;
    watched[pointer] = {bytes, std::vector<sides>(pages)};
    protect_all();
}

void remove(device_pointer pointer) {
    const std::lock_guard hold(lock);
    const auto found = watched.find(pointer);
    if (found == watched.end()) return;
    auto& pages = found->second.pages;
    for (std::size_t i = 0; i < pages.size(); ++i)
        make_read_mostly(found->second, i, pages[i].is_read_mostly, false);
    watched.erase(found);
}

void prefetch(device_pointer pointer, std::size_t bytes, bool to_gpu) {
    const std::lock_guard hold(lock);
    for (auto& [first, in] : watched)
        for (std::size_t i = 0; i < in.pages.size(); ++i) {
            const device_pointer at = first + i * page;
            if (at + page <= pointer || at >= pointer + bytes) continue;
            auto& [cpu, gpu, is_read_mostly] = in.pages[i];
            if (to_gpu && cpu && !gpu) report(sight::moved_to_gpu, at, page, false);
            cpu = !to_gpu || (cpu && is_read_mostly);
            gpu = to_gpu || (gpu && is_read_mostly);
            protect(first, in, i);
            if (!to_gpu && !std::getenv("FAKE_CUDA_UNMAPPED"))
                for (std::size_t byte = 0; byte < std::min(page, in.bytes - i * page); byte += 4096)
                    static_cast<void>(*reinterpret_cast<volatile char*>(at + byte));
        }
}

bool advise(device_pointer pointer, std::size_t bytes, int advice, int device) {
    const std::lock_guard hold(lock);
    auto found = watched.upper_bound(pointer);
    if (found == watched.begin() || pointer >= (--found)->first + found->second.bytes) return false;
    range& in = found->second;
    if (advice == set_preferred || advice == unset_preferred)
        in.preferred = advice == set_preferred ? device : no_device;
    if (advice == set_accessed || advice == unset_accessed) in.is_accessed = advice == set_accessed;
    if (advice != set_read_mostly && advice != unset_read_mostly) return true;
    const std::size_t first = (pointer - found->first) / page;
    const std::size_t end = (pointer - found->first + bytes + page - 1) / page;
    for (std::size_t i = first; i < std::min(end, in.pages.size()); ++i) {
        auto& [cpu, gpu, is_read_mostly] = in.pages[i];
        make_read_mostly(in, i, is_read_mostly, advice == set_read_mostly);
        if (!is_read_mostly && cpu && gpu) (in.preferred >= 0 ? cpu : gpu) = false;
        protect(found->first, in, i);
    }
    return true;
}

bool hints(device_pointer pointer, bool& is_read_mostly, int& preferred, bool& is_accessed) {
    const std::lock_guard hold(lock);
    const auto found = watched.find(pointer);
    if (found == watched.end()) return false;
    const auto& pages = found->second.pages;
    is_read_mostly = std::all_of(pages.begin(), pages.end(),
                                 [](const sides& one) { return one.is_read_mostly; });
    preferred = found->second.preferred;
    is_accessed = found->second.is_accessed;
    return true;
}

remote take_remote() { return std::exchange(used, remote{}); }

gpu_works::gpu_works() {
    const std::lock_guard hold(lock);
    is_gpu = true;
    protect_all();
}

gpu_works::~gpu_works() {
    const std::lock_guard hold(lock);
    is_gpu = false;
    protect_all();
}

}  // namespace fake::residency
