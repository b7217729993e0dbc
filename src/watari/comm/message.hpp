/// What an exchange carries: each end's inner planes to a neighbour, the neighbour's into the outer
/// ones. `fields` are arrays as they lie; a case that sends less (half spinors, one parity) packs
/// by a message of its own.
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
    /// Both ends' planes into buffers, and buffers into both ends. On a GPU they may return before
    /// they are done; what `stream` is given later finds them done.
    virtual void pack(const faces& f, buffers to, stream_t stream) const = 0;
    virtual void unpack(const faces& f, const_buffers from, stream_t stream) const = 0;
    /// The array whose planes are, as they lie, what is sent; without data where they must be
    /// packed.
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
