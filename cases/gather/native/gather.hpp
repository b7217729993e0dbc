/// Case `gather`: a processor collects elements that lie apart, in ascending or in random order.
///
/// Small elements show the cost of a cache line, elements a page apart the cost of an address
/// translation, and memory that the other processor touched last the cost of a page fault. Boku
/// (2025) asks for these patterns in addition to the contiguous copy. The kernel is the gather of
/// Spatter (Lavin et al., MEMSYS 2020).
#pragma once

#include "watari/case/common.hpp"
#include "watari/case/words.hpp"
#include "watari/core/processor.hpp"
#include "watari/measure/trial.hpp"
#include "watari/memory/hint.hpp"
#include "watari/memory/kind.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace watari::gather {

/// How the source returns to its toucher before each pass. none: it stays where the pass left it.
/// read: the toucher reads all of it. prefetch: the same, and each pass prefetches its elements,
/// one call per element, and prefetches them back afterwards.
enum class turns { none, read, prefetch };
inline constexpr word<turns> turns_words[] = {
    {"none", turns::none}, {"read", turns::read}, {"prefetch", turns::prefetch}};
inline constexpr word<bool> patterns[] = {{"random", true}, {"strided", false}};

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
    std::size_t page = 0;  ///< bytes of a page of the kernel's pool; 0: ordinary pages
    std::size_t element = 8;
    std::size_t stride = 64;
    bool random = true;
    std::optional<double> hits{};  ///< share of visits in the cache of a file; none: no file
    std::size_t cache = 0;         ///< bytes of that cache
    std::string folder{};          ///< of that file

    static constexpr auto members = std::tuple_cat(
        common::members, std::tuple{
                             member{"processor", &parameters::processor},
                             member{"memory", &parameters::kind, cases::kind_named},
                             member{"memory", &parameters::device, cases::gpu_number_in},
                             member{"source", &parameters::toucher},
                             member{"hint", &parameters::hint, memory::hint_named},
                             member{"turns", &parameters::turns, turns_words},
                             member{"thp", &parameters::thp, cases::huge_pages},
                             member{"page", &parameters::page},
                             member{"element", &parameters::element},
                             member{"stride", &parameters::stride},
                             member{"pattern", &parameters::random, patterns},
                             member{"hits", &parameters::hits},
                             member{"cache", &parameters::cache},
                             member{"folder", &parameters::folder},
                         });
};

/// Runs one trial. Each sample gathers every element once. Throws unsupported if the machine lacks
/// a capability, beyond_memory if it lacks memory, usage_error for invalid parameters.
measure::trial run(const parameters& p);

}  // namespace watari::gather
