/// Values of arrays of any type for kernels whose meaning is not known: the same on both backends.
/// Bytes: each element is written once. No flops.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"
#include "watari/core/processor.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::measure {

/// Elements by their bytes; signed and unsigned integers have the same values.
enum class element_type { integer_1, integer_2, integer_4, integer_8, single_float, double_float };

/// fraction: from 0 to below 1 (floating-point types). below: whole numbers below a limit.
/// ascending: 0, 1, 2 and so on, from 0 again at the limit. constant: one value.
enum class value_rule { fraction, below, ascending, constant };

struct values {
    value_rule rule = value_rule::fraction;
    std::uint64_t limit = 1;  ///< of `below` and `ascending`
    double constant = 0;
    std::uint64_t seed = 1;
};

struct value_kernels {
    /// Writes `count` elements; on a GPU returns before it is done.
    void (*fill)(void* data, std::size_t count, element_type type, const values& what,
                 stream_t stream);
    static const value_kernels cpu, gpu;
};

}  // namespace watari::measure
