// Pages that are on the other side cannot be accessed (mprotect); the signal of a touch is the
// fault.
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "observe.hpp"

fake::observer fake_cuda_observer = nullptr;

namespace fake::residency {
namespace {

constexpr std::size_t page = 64 * 1024;
enum class side : char { none, cpu, gpu };

struct range {
    std::size_t bytes;
    std::vector<side> owners;
    std::vector<char> written;  // of read-mostly ones: may be written by their owner
    bool is_read_mostly = false;
};
std::map<device_pointer, range> watched;
std::recursive_mutex lock;
thread_local bool is_gpu = false;
struct sigaction before;

void protect(device_pointer pointer, const range& in, std::size_t index) {
    const std::size_t size = std::min(page, in.bytes - index * page);
    const bool is_here = in.owners[index] == (is_gpu ? side::gpu : side::cpu);
    const bool is_open = !in.is_read_mostly || in.written[index];
    mprotect(reinterpret_cast<void*>(pointer + index * page), size,
             !is_here  ? PROT_NONE
             : is_open ? PROT_READ | PROT_WRITE
                       : PROT_READ);
}

void protect_all() {
    for (const auto& [pointer, in] : watched)
        for (std::size_t i = 0; i < in.owners.size(); ++i) protect(pointer, in, i);
}

bool is_write(const void* context) {
#ifdef __x86_64__
    return static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & 2;
#else
    return context == nullptr;
#endif
}

void report(sight what, device_pointer address, std::size_t bytes, bool writes) {
    seen one{what};
    one.address = address;
    one.bytes = bytes;
    one.start = now();
    one.end = one.start + 1000;
    one.by_gpu = is_gpu;
    one.writes = writes;
    fake_cuda_observer(one);
}

bool take_fault(device_pointer address, bool writes) {
    const std::lock_guard hold(lock);
    auto found = watched.upper_bound(address);
    if (found == watched.begin()) return false;
    --found;
    auto& [pointer, in] = *found;
    const side toucher = is_gpu ? side::gpu : side::cpu;
    if (address >= pointer + in.bytes) return false;
    const std::size_t index = (address - pointer) / page;
    const bool is_second = in.owners[index] == toucher;  // the write after a read
    if (is_second && (!in.is_read_mostly || in.written[index])) return false;
    const side owner = std::exchange(in.owners[index], toucher);
    in.written[index] = writes;
    protect(pointer, in, index);
    const device_pointer first = pointer + index * page;
    report(sight::faulted, address, 1, writes);
    if (owner != side::none && !is_second)
        report(is_gpu ? sight::moved_to_gpu : sight::moved_to_cpu, first,
               std::min(page, in.bytes - index * page), writes);
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
    watched[pointer] = {bytes, std::vector<side>(pages, side::none), std::vector<char>(pages, 0)};
    protect_all();
}

void remove(device_pointer pointer) {
    const std::lock_guard hold(lock);
    watched.erase(pointer);
}

void prefetch(device_pointer pointer, std::size_t bytes, bool to_gpu) {
    const std::lock_guard hold(lock);
    for (auto& [first, in] : watched)
        for (std::size_t i = 0; i < in.owners.size(); ++i) {
            const device_pointer at = first + i * page;
            if (at + page <= pointer || at >= pointer + bytes) continue;
            if (to_gpu && in.owners[i] == side::cpu) report(sight::moved_to_gpu, at, page, false);
            in.owners[i] = to_gpu ? side::gpu : side::cpu;
        }
    protect_all();
}

void read_mostly(device_pointer pointer, bool set) {
    const std::lock_guard hold(lock);
    const auto found = watched.find(pointer);
    if (found == watched.end()) return;
    auto& [first, in] = *found;
    in.is_read_mostly = set;
    in.written.assign(in.written.size(), 0);
    for (std::size_t i = 0; i < in.owners.size(); ++i) protect(first, in, i);
}

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
