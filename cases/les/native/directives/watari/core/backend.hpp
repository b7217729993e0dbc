/// The kernels in directives: the names of src/watari/core/backend.hpp, in whose place these files
/// find this one. A shared object of its own has these kernels, as the table `cpu` of each struct.
#pragma once

#include "watari/core/processor.hpp"

#include <cstddef>

#define WATARI_QUOTED(name) WATARI_TEXT(name)
#define WATARI_TEXT(name) #name
#define WATARI_BACKEND cpu
#if defined(__clang__) || defined(__NVCOMPILER)
#define WATARI_KERNEL
#else
#define WATARI_KERNEL [[gnu::always_inline]]  // GCC has no code for functions that OpenACC calls
#endif
#define WATARI_INLINE inline __attribute__((always_inline))
#define WATARI_VECTORS
#define WATARI_PART(stem) WATARI_QUOTED(stem##_directives.hpp)
#define WATARI_CLONES

namespace watari::WATARI_BACKEND {

inline constexpr processor::type executes = processor::type::cpu;

}  // namespace watari::WATARI_BACKEND
