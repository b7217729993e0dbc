/// Hints to the driver about shared memory (managed, or system where the GPU can address it).
///
/// One of hint.cpp (CUDA) and hint_absent.cpp is built.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/processor.hpp"
#include "watari/memory/buffer.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace watari::memory {

/// none. prefetch: moved to the executing processor before it starts. mapped: preferred location
/// CPU and accessed by the GPU, remote access without migration. read_mostly: duplicated on
/// reading.
enum class hint { none, prefetch, mapped, read_mostly };

/// All hints and their names, in the order of the enumeration.
std::span<const std::pair<std::string_view, hint>> hints();

/// The hint of this name (`read-mostly` with a hyphen). Throws usage_error.
hint hint_named(std::string_view name);

/// Gives the driver the advice of a hint for a block that `gpu` will use; no advice for none and
/// prefetch. Throws unsupported for memory that takes no advice.
void advise(const block& range, hint h, processor gpu);

/// Starts moving a part of a block, or all of it, to a processor's memory, in stream order. Throws
/// unsupported.
void prefetch(const block& range, std::size_t first, std::size_t bytes, processor to,
              stream_t stream);
inline void prefetch(const block& range, processor to, stream_t stream) {
    prefetch(range, 0, range.bytes(), to, stream);
}

}  // namespace watari::memory
