/// Memory for a solver's vectors and scalars: allocated once, used by any number of solves.
#pragma once

#include "watari/core/error.hpp"
#include "watari/memory/buffer.hpp"

#include <cstddef>
#include <optional>
#include <utility>

namespace watari::krylov {

class workspace {
public:
    /// Memory of a kind that the processor addresses; cg_bytes etc. return `bytes`. Throws
    /// unsupported, beyond_memory.
    workspace(processor who, memory::kind kind, std::size_t bytes)
        : owned_(std::in_place, kind, bytes, memory::placement{.device = who.number}),
          data_(owned_->data()),
          bytes_(bytes) {
        memory::require_access(memory::row(kind), who);
    }
    /// The caller's memory, which the processor addresses.
    workspace(std::byte* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
    std::byte* data() const noexcept { return data_; }
    std::size_t bytes() const noexcept { return bytes_; }

private:
    std::optional<memory::buffer<std::byte>> owned_;
    std::byte* data_;
    std::size_t bytes_;
};

/// Allocates parts of a workspace one after another. Without a workspace it returns null and counts
/// the bytes, so the bytes that a solver asks for are those that it uses.
class arena {
public:
    arena() = default;
    explicit arena(const workspace& from) : data_(from.data()), bytes_(from.bytes()) {}

    /// `count` elements, at a multiple of 256 bytes. Throws usage_error.
    template <class Element>
    Element* take(std::size_t count) {
        const std::size_t first = used_;
        used_ += (count * sizeof(Element) + 255) / 256 * 256;
        if (!data_) return nullptr;
        if (used_ > bytes_)
            throw usage_error("the workspace has " + bytes_text(bytes_) +
                              ", and the solver needs " + bytes_text(used_) +
                              " and more: see cg_bytes and its like");
        return reinterpret_cast<Element*>(data_ + first);
    }
    std::size_t used() const noexcept { return used_; }

private:
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0, used_ = 0;
};

/// Bytes of a workspace for Run(given...).
template <class Run, class... Given>
std::size_t bytes_of(const Given&... given) {
    arena counted;
    const Run run(given..., counted);
    return counted.used();
}

}  // namespace watari::krylov
