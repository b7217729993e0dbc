/// The flags around a cell, as a GPU or directives read them, for momentum.hpp.
#pragma once

#include "../grid/loops.hpp"
#include "flow.hpp"

namespace watari::WATARI_BACKEND {

template <class Real>
struct flags_around {
    /// Returns 1 in a solid cell, else 0.
    WATARI_INLINE Real solid(const std::uint8_t* flags, index at) const {
        return Real(int(flags[at] & les::flag::fluid) ^ 1);
    }
    WATARI_INLINE std::uint8_t own(const std::uint8_t* flags, const cell& c) const {
        return flags[c.at];
    }
};

}  // namespace watari::WATARI_BACKEND
