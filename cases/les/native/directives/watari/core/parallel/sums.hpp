/// Sums over indices in directives: threads have every 65536th index, the CPU adds their sums.
#pragma once

#include "watari/core/loops.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>

namespace watari::cpu {

template <class Value, class Body>
struct strided {
    std::size_t count, step;
    Body body;

    WATARI_INLINE Value operator()(std::size_t first) const {
        Value own{};
        for (std::size_t n = first; n < count; n += step) own += body(n);
        return own;
    }
};

/// Sum of body(n) for 0 <= n < count. Waits for the result.
template <class Value, class Body>
Value sum(std::size_t count, const Body& body, stream_t) {
    const std::size_t threads = std::min(count, std::size_t{1} << 16);
    const std::unique_ptr<Value[]> of(new Value[threads]);
    results_of(threads, strided<Value, Body>{count, threads, body}, of.get());
    Value result{};
    for (std::size_t n = 0; n < threads; ++n) result += of[n];
    return result;
}

}  // namespace watari::cpu
