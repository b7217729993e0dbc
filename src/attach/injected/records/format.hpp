// The files that the injected library writes: records-PID.bin, records of 64 bytes and nothing
// else; calls-PID.bin, calls of CUDA's functions of 32 bytes each; and notes-PID.txt, lines of text
// that both refer to.
// python/watari/attach/trace/records/records.py reads both and repeats this table.
//
// Note `unplaced`: the name of a kernel, as identifier; the placement that is missing, and why.
//
// Times are nanoseconds of CLOCK_MONOTONIC, the clock of the preloaded library's log.
#pragma once

#include <cstdint>

namespace watari::attach {

inline constexpr std::uint32_t format_version = 2;

enum class kind : std::uint32_t {
    begin = 1,   // detail: format version; bytes: CUPTI's version
    kernel = 2,  // name: note `name`; address: blocks; bytes: threads of a block
    copy =
        3,  // detail: CUpti_ActivityMemcpyKind; flags: source kind, target kind << 8, async << 16
    fill = 4,  // cudaMemset; detail: kind of memory
    counter =
        5,     // unified memory; detail: CUpti_ActivityUnifiedMemoryCounterKind; bytes: the value
    wait = 6,  // of the CPU, or of a stream for an event; detail:
               // CUpti_ActivitySynchronizationType; address: the event; flags: the context
    call = 7,  // of a copy: address: source; bytes; end: target; name: note `site`; device: ns that
               // recording this took
    prefetch = 8,  // address; bytes; device: -1 for the CPU; name: note `site`
    context = 9,   // created; detail: result of enabling the counters of unified memory; device;
                   // flags: the context
    dropped = 10,  // bytes: records that CUPTI had no room for
    evicted = 11,  // to CPU memory before launch `correlation`, whose pages are looked at; bytes:
                   // of all managed allocations; detail: 1 if none is read-mostly, so that faults
                   // are as fast as without tracing, and writes are not seen
    end = 12,  // the program ended and no more records arrived; detail: flushes; ns that tracing
               // took once: to begin: address, for contexts: bytes, to end: end; name: the records
               // before this one, so that the reader notices records that another process destroyed
    unsampled = 13,  // no time for more launches of kernel `name`; detail: launches sampled before
    touched = 14,    // by launch `correlation`: bytes; written in read-mostly blocks: end; address:
                     // of the allocation; detail: KiB whose location is unknown; flags: 1 if it has
                     // no read-mostly block
    event = 15,      // recorded in a stream; address: the event; flags: the context
    stream = 16,     // created; detail: CUpti_ActivityStreamFlag; flags: the context
    flushed = 17,    // bytes: ns that flushing took in the program's calls
    placed = 18,   // all managed memory before launch `correlation`, to time it; detail: placement
                   // (schedule.hpp); bytes: of the memory that could be moved
    stopped = 19,  // launch `correlation`: its mapped memory went to the GPU while it ran
    unmoved = 20,  // before launch `correlation`; detail: allocations that were left where they
                   // are, since there are so many; bytes: of them
};

struct record {
    kind what;
    std::uint32_t detail = 0;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint32_t device = 0;
    std::uint32_t stream = 0;
    std::uint32_t correlation = 0;
    std::uint32_t flags = 0;
    std::uint64_t name = 0;
};
static_assert(sizeof(record) == 64);

// A call of a function of the runtime or the driver. A call of the runtime contains calls of the
// driver: both are here.
struct call_record {
    std::uint64_t start;
    std::uint64_t end;
    std::uint32_t thread;
    std::uint32_t correlation;
    std::uint32_t function;  // note `call`: its name
    std::uint32_t result;
};
static_assert(sizeof(call_record) == 32);

}  // namespace watari::attach
