// The files that the injected library writes: records-PID.bin, records of 64 bytes and nothing
// else, and notes-PID.txt, lines of text that records refer to.
// python/watari/attach/trace/records.py reads both and repeats this table.
//
// Times are nanoseconds of CLOCK_MONOTONIC, the clock of the preloaded library's log.
#pragma once

#include <cstdint>

namespace watari::attach {

inline constexpr std::uint32_t format_version = 1;

enum class kind : std::uint32_t {
    begin = 1,   // detail: format version; bytes: CUPTI's version
    kernel = 2,  // name: note `name`; address: blocks; bytes: threads of a block
    copy =
        3,  // detail: CUpti_ActivityMemcpyKind; flags: source kind, target kind << 8, async << 16
    fill = 4,  // cudaMemset; detail: kind of memory
    counter =
        5,     // unified memory; detail: CUpti_ActivityUnifiedMemoryCounterKind; bytes: the value
    wait = 6,  // of the CPU; detail: CUpti_ActivitySynchronizationType
    call = 7,  // of a copy: address: source; bytes; end: target; name: note `site`
    prefetch = 8,  // address; bytes; device: -1 for the CPU; name: note `site`
    context = 9,   // created; detail: result of enabling the counters of unified memory
    dropped = 10,  // bytes: records that CUPTI had no room for
    evicted = 11,  // to CPU memory before launch `correlation`; bytes: of all managed allocations
    end = 12,  // the program ended and no more records arrived; detail: flushes; ns that tracing
               // took once: to begin: address, for contexts: bytes, to end: end; name: the records
               // before this one, so that the reader notices records that another process destroyed
    unsampled = 13,  // no time for more launches of kernel `name`; detail: launches sampled before
    touched = 14,    // by launch `correlation`: bytes; written in read-mostly blocks: end; address:
                     // of the allocation; detail: KiB whose location is unknown; flags: 1 if it has
                     // no read-mostly block
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

}  // namespace watari::attach
