#pragma once

#include "watari/core/members.hpp"

#include <cstddef>

namespace watari::cases {

/// Parameters that several cases share.
struct common {
    std::size_t size = 0;
    std::size_t samples = 1;
    int threads = 1;
    bool oversubscribe = false;

    static constexpr std::tuple members{
        member{"size", &common::size}, member{"samples", &common::samples},
        member{"threads", &common::threads}, member{"oversubscribe", &common::oversubscribe}};
};

}  // namespace watari::cases
