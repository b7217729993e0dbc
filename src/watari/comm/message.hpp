/// The data that an exchange carries: the inner planes of each end go into the neighbour's outer
/// planes. `fields` sends arrays in place or packed; a case that sends less (half spinors, one
/// parity) packs by its own message.
#pragma once

#include "watari/comm/pack.hpp"

#include <cstddef>
#include <span>

namespace watari::comm {

class message {
public:
    /// A buffer for each end; null where there is no neighbour.
    using buffers = std::byte* const (&)[2];
    using const_buffers = const std::byte* const (&)[2];

    virtual ~message() = default;

    /// Bytes of one end, the same on both sides.
    virtual std::size_t bytes(const faces& f) const = 0;
    /// Copies both ends' planes into buffers, or buffers into both ends. On a GPU they may return
    /// before they are done; later work of `stream` sees them done.
    virtual void pack(const faces& f, buffers to, stream_t stream) const = 0;
    virtual void unpack(const faces& f, const_buffers from, stream_t stream) const = 0;
    /// The array whose planes can be sent in place; without data if they must be packed.
    virtual field in_place(const faces&) const { return {}; }
};

/// Whole planes of one array or several, one behind the other.
class fields final : public message {
public:
    fields(processor who, std::span<const field> arrays) : who_(who), arrays_(arrays) {}

    std::size_t bytes(const faces& f) const override;
    void pack(const faces& f, buffers to, stream_t stream) const override;
    void unpack(const faces& f, const_buffers from, stream_t stream) const override;
    field in_place(const faces& f) const override;

private:
    processor who_;
    std::span<const field> arrays_;
};

}  // namespace watari::comm
