/// Functions that the cases share: they prepare arrays, read their residency and verify them.
#pragma once

#include "memory.hpp"
#include "watari/memory/buffer.hpp"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>

namespace watari::cases {

using array = memory::buffer<double>;
using residencies = std::map<std::string, memory::residency>;  ///< by array

inline constexpr std::uint64_t source_seed = 1;
inline constexpr std::uint64_t poison_seed = 2;  ///< pattern of a destination before the series

/// Whole doubles in `size` bytes. Throws usage_error if there is none.
std::size_t elements(std::size_t size);

/// Throws unsupported if a placement is asked of managed or device memory, which the driver places.
void require_placement(const placed_parameters& p, std::initializer_list<memory::kind> kinds);

/// Sets the number of CPU threads and notes how many there are and whether they are pinned;
/// launches each kernel of a processor once on small data, so that no sample loads code.
void prepare(measure::trial& into, const common& p, processor who);

/// Returns a processor that can write the memory: its owner, or `preferred` for shared kinds.
processor toucher(const memory::block& range, processor preferred);

/// Writes the pattern of a seed into a whole array and waits.
void fill(const array& data, processor who, std::uint64_t seed);

/// Reads the residency of an array whose every page was touched. Under the hint `mapped`, a page
/// that the CPU has not mapped may still lie in CPU memory: it counts as untold.
memory::residency look(const array& data, memory::hint hint = memory::hint::none);

/// Adds the number of elements that differ from the pattern of the seed to the trial.
void verify(measure::trial& into, const array& data, processor who, std::uint64_t seed);

/// Returns the other side: GPU 0 for the CPU, the CPU for a GPU.
processor other(processor who);

}  // namespace watari::cases
