/// Loads and stores of one complex number by one instruction, with hints for the caches of a GPU.
/// core/streaming_stores.hpp has those of a CPU.
#pragma once

#include "watari/core/backend.hpp"
#include "watari/core/complex.hpp"

namespace watari::gpu {

template <class Real>
struct vector_of;
template <>
struct vector_of<double> {
    using type = double2;
};
template <>
struct vector_of<float> {
    using type = float2;
};

template <class Real>
WATARI_INLINE complex<Real> load_often(const complex<Real>* from) {
    const auto v = __ldg(reinterpret_cast<const typename vector_of<Real>::type*>(from));
    return {v.x, v.y};
}
/// Loads with the hint that L2 need not keep the line.
template <class Real>
WATARI_INLINE complex<Real> load_once(const complex<Real>* from) {
    const auto v = __ldcs(reinterpret_cast<const typename vector_of<Real>::type*>(from));
    return {v.x, v.y};
}
template <class Real>
WATARI_INLINE void store_once(complex<Real>* to, const complex<Real>& value) {
    __stcs(reinterpret_cast<typename vector_of<Real>::type*>(to),
           typename vector_of<Real>::type{value.re, value.im});
}

}  // namespace watari::gpu
