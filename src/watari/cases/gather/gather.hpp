/// Case `gather`: a processor collects elements that lie apart, in ascending or in random order.
///
/// Small elements show the price of a cache line, elements a page apart the price of a translated
/// address, and memory that the other processor touched last the price of a page fault: the
/// patterns that Boku (2025) asks for beside the contiguous copy. The kernel is the gather of
/// Spatter (Lavin et al., MEMSYS 2020).
#pragma once

#include "watari/cases/common/common.hpp"
#include "watari/core/processor.hpp"
#include "watari/measure/trial.hpp"
#include "watari/memory/hint.hpp"
#include "watari/memory/kind.hpp"

#include <cstddef>

namespace watari::gather {

/// Whether the source is the toucher's again before each pass, and how it comes. none: it stays
/// where a pass has left it. read: the toucher reads all of it. prefetch: so it does, but a pass
/// has its elements prefetched, a call each, and sends them back.
enum class turns { none, read, prefetch };

/// A source of `size` bytes; the destination lies in the processor's own memory. `device` is the
/// GPU that device memory belongs to; `toucher` writes shared memory first.
struct parameters : cases::common {
    watari::processor processor;
    memory::kind kind = memory::kind::pageable;
    int device = 0;
    watari::processor::type toucher = watari::processor::type::cpu;
    memory::hint hint = memory::hint::none;
    gather::turns turns = gather::turns::none;
    memory::huge_pages thp = memory::huge_pages::as_set;
    std::size_t page = 0;  ///< bytes, of the kernel's pool; 0: ordinary pages
    std::size_t element = 8;
    std::size_t stride = 64;
    bool random = true;
};

/// One trial. Each sample gathers every element once. Throws unsupported for what the machine does
/// not have, beyond_memory for what it has not enough of, usage_error for what cannot be meant.
measure::trial run(const parameters& p);

}  // namespace watari::gather
