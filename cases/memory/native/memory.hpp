/// The cases that measure memory paths. Each runs one trial in this process: it allocates, touches,
/// times every sample, reads residency and verifies. Sizes are bytes of one array, rounded down to
/// whole doubles. All throw unsupported if the machine lacks a capability, beyond_memory if it
/// lacks memory, usage_error for invalid parameters.
#pragma once

#include "watari/case/common.hpp"
#include "watari/core/processor.hpp"
#include "watari/measure/trial.hpp"
#include "watari/memory/hint.hpp"
#include "watari/memory/kind.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace watari::cases {

/// Memory of a kind; `device` is the GPU that it belongs to.
struct memory_end {
    memory::kind kind = memory::kind::pageable;
    int device = 0;
};

/// Parameters of all cases. `numa_node`: of CPU memory; -1: first touch decides.
struct placed_parameters : common {
    int numa_node = -1;
    memory::huge_pages thp = memory::huge_pages::as_set;
    std::size_t page = 0;  ///< bytes of a page of the kernel's pool; 0: ordinary pages
};

/// Case `copy`: `from` to `to`, by a kernel of the processor or by the GPU's copy engine.
struct copy_parameters : placed_parameters {
    watari::processor processor;
    memory_end from, to;
    bool copy_engine = false;
    int streams = 1;
    bool bidirectional = false;
    bool ordinary_stores = false;  ///< of a CPU, through the caches whatever the size
};
measure::trial copy(const copy_parameters& p);

/// Case `access`: destination[i] = source[i] (Yoshida 2024, 4.2.1). `kind` is shared memory; none
/// means explicit kinds, where a location on the CPU is pinned and one on the GPU device memory.
struct access_parameters : placed_parameters {
    watari::processor processor;
    std::optional<memory::kind> kind;
    memory::hint hint = memory::hint::none;
    /// The side that touches each array first; the GPU is the one that executes, or GPU 0.
    watari::processor::type source = watari::processor::type::cpu;
    watari::processor::type destination = watari::processor::type::cpu;
};
measure::trial access(const access_parameters& p);

/// Case `migration` (Yoshida 2024, 4.2.2): source first touched by the CPU, destination by the GPU;
/// then `samples` copies by each processor of `phases` in turn.
struct migration_parameters : placed_parameters {
    memory::kind kind = memory::kind::managed;
    memory::hint hint = memory::hint::none;
    std::vector<watari::processor> phases;
    std::size_t map = 0;      ///< parts of each array whose residency is read separately; 0: none
    bool look_at_all = true;  ///< read residency after every sample; else after every phase
};
measure::trial migration(const migration_parameters& p);

/// Case `touch`: fresh memory for every sample. first_touch: the processor writes it. prefetch: the
/// other processor wrote it, and the sample prefetches it to this one. fault: the other processor
/// wrote it, and this one reads it.
enum class touch_operation { first_touch, prefetch, fault };
struct touch_parameters : placed_parameters {
    watari::processor processor;
    memory::kind kind = memory::kind::managed;
    touch_operation operation = touch_operation::first_touch;
};
measure::trial touch(const touch_parameters& p);

}  // namespace watari::cases
