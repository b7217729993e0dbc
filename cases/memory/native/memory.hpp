/// The cases that measure memory paths. Each runs one trial in this process: it allocates, touches,
/// times every sample, reads residency and verifies. Sizes are bytes of one array, rounded down to
/// whole doubles. All throw unsupported if the machine lacks a capability, beyond_memory if it
/// lacks memory, usage_error for invalid parameters.
#pragma once

#include "watari/case/common.hpp"
#include "watari/case/words.hpp"
#include "watari/core/processor.hpp"
#include "watari/measure/trial.hpp"
#include "watari/memory/hint.hpp"
#include "watari/memory/kind.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace watari::cases {

/// Memory of a kind; `device` is the GPU that it belongs to.
struct memory_end {
    memory::kind kind = memory::kind::pageable;
    int device = 0;
};

/// Parse `device:1`; a kind, or `explicit` for none; `gpu+cpu`; and a node: `local`, a number, or
/// `gpu` for the node that is a GPU's memory. Throw usage_error; unsupported if no GPU is a node.
memory_end end_named(std::string_view word);
std::optional<memory::kind> shared_kind_named(std::string_view word);
std::vector<processor> processors_named(std::string_view words);
int numa_node_named(std::string_view word);

/// Parameters of all cases. `numa_node`: of CPU memory; -1: first touch decides.
struct placed_parameters : common {
    int numa_node = -1;
    memory::huge_pages thp = memory::huge_pages::as_set;
    std::size_t page = 0;  ///< bytes of a page of the kernel's pool; 0: ordinary pages

    static constexpr auto members = std::tuple_cat(
        common::members, std::tuple{
                             member{"numa", &placed_parameters::numa_node, numa_node_named},
                             member{"thp", &placed_parameters::thp, cases::huge_pages},
                             member{"page", &placed_parameters::page},
                         });
};

/// Case `copy`: `from` to `to`, by a kernel of the processor or by the GPU's copy engine.
struct copy_parameters : placed_parameters {
    watari::processor processor;
    memory_end from, to;
    bool copy_engine = false;
    int streams = 1;
    bool bidirectional = false;
    bool ordinary_stores = false;  ///< of a CPU, through the caches whatever the size

    static constexpr word<bool> means[] = {{"kernel", false}, {"copy-engine", true}};
    static constexpr word<bool> stores[] = {{"default", false}, {"ordinary", true}};
    static constexpr auto members = std::tuple_cat(
        placed_parameters::members, std::tuple{
                                        member{"processor", &copy_parameters::processor},
                                        member{"from", &copy_parameters::from, end_named},
                                        member{"to", &copy_parameters::to, end_named},
                                        member{"means", &copy_parameters::copy_engine, means},
                                        member{"streams", &copy_parameters::streams},
                                        member{"bidirectional", &copy_parameters::bidirectional},
                                        member{"stores", &copy_parameters::ordinary_stores, stores},
                                    });
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

    static constexpr auto members =
        std::tuple_cat(placed_parameters::members,
                       std::tuple{
                           member{"processor", &access_parameters::processor},
                           member{"memory", &access_parameters::kind, shared_kind_named},
                           member{"hint", &access_parameters::hint, memory::hint_named},
                           member{"source", &access_parameters::source},
                           member{"destination", &access_parameters::destination},
                       });
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

    static constexpr word<bool> looks[] = {{"samples", true}, {"phases", false}};
    static constexpr auto members =
        std::tuple_cat(placed_parameters::members,
                       std::tuple{
                           member{"memory", &migration_parameters::kind, cases::kind_named},
                           member{"hint", &migration_parameters::hint, memory::hint_named},
                           member{"phases", &migration_parameters::phases, processors_named},
                           member{"map", &migration_parameters::map},
                           member{"look", &migration_parameters::look_at_all, looks},
                       });
};
measure::trial migration(const migration_parameters& p);

/// Case `touch`: fresh memory for every sample. first_touch: the processor writes it. prefetch: the
/// other processor wrote it, and the sample prefetches it to this one. fault: the other processor
/// wrote it, and this one reads it.
enum class touch_operation { first_touch, prefetch, fault };
inline constexpr word<touch_operation> touch_operations[] = {
    {"first-touch", touch_operation::first_touch},
    {"prefetch", touch_operation::prefetch},
    {"fault", touch_operation::fault}};
struct touch_parameters : placed_parameters {
    watari::processor processor;
    memory::kind kind = memory::kind::managed;
    touch_operation operation = touch_operation::first_touch;

    static constexpr auto members =
        std::tuple_cat(placed_parameters::members,
                       std::tuple{
                           member{"processor", &touch_parameters::processor},
                           member{"memory", &touch_parameters::kind, cases::kind_named},
                           member{"operation", &touch_parameters::operation, touch_operations},
                       });
};
measure::trial touch(const touch_parameters& p);

}  // namespace watari::cases
