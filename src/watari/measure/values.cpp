// Kernels for both backends; see core/backend.hpp.
#include "watari/measure/values.hpp"

#include "watari/core/loops.hpp"
#include "watari/measure/pattern.hpp"

#include <type_traits>

namespace watari::WATARI_BACKEND {

namespace {

/// Element i. A fraction has no more bits than its type holds, so that it is exact.
template <class Element>
WATARI_INLINE Element element(std::size_t i, const measure::values& what) {
    constexpr double unit = 1.0 / (std::uint64_t{1} << 53);
    const double drawn = measure::pattern(i, what.seed);  // a whole number below 2^53
    switch (what.rule) {
        case measure::value_rule::fraction:
            if constexpr (std::is_same_v<Element, float>) {
                constexpr double step = 1 << 29, single_unit = 1.0 / (1 << 24);
                const auto high = static_cast<std::uint64_t>(drawn / step);
                return static_cast<float>(static_cast<double>(high) * single_unit);
            }
            return static_cast<Element>(drawn * unit);
        case measure::value_rule::below:
            return static_cast<Element>(static_cast<std::uint64_t>(drawn) % what.limit);
        case measure::value_rule::ascending:
            return static_cast<Element>(i % what.limit);
        case measure::value_rule::constant:
            break;
    }
    if constexpr (std::is_floating_point_v<Element>) return static_cast<Element>(what.constant);
    return static_cast<Element>(static_cast<std::int64_t>(what.constant));
}

template <class Element>
void fill_as(void* data, std::size_t count, const measure::values& what, stream_t stream) {
    auto* elements = static_cast<Element*>(data);
    const measure::values wanted = what;
    for_each(
        count, [=] WATARI_KERNEL(std::size_t i) { elements[i] = element<Element>(i, wanted); },
        stream);
}

void fill_values(void* data, std::size_t count, measure::element_type type,
                 const measure::values& what, stream_t stream) {
    using measure::element_type;
    switch (type) {
        case element_type::integer_1:
            return fill_as<std::uint8_t>(data, count, what, stream);
        case element_type::integer_2:
            return fill_as<std::uint16_t>(data, count, what, stream);
        case element_type::integer_4:
            return fill_as<std::uint32_t>(data, count, what, stream);
        case element_type::integer_8:
            return fill_as<std::uint64_t>(data, count, what, stream);
        case element_type::single_float:
            return fill_as<float>(data, count, what, stream);
        case element_type::double_float:
            return fill_as<double>(data, count, what, stream);
    }
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::measure {

const value_kernels value_kernels::WATARI_BACKEND{.fill = WATARI_BACKEND::fill_values};

}  // namespace watari::measure
