/// Arrays of NumPy as arguments, and vectors as arrays of NumPy.
#pragma once

#include "module.hpp"

#include <nanobind/ndarray.h>

#include <memory>
#include <utility>
#include <vector>

template <class Element>
using table = nb::ndarray<const Element, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class Element>
using column = nb::ndarray<const Element, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Returns a NumPy array that takes over a vector's memory, with `width` elements per row; 0: one
/// dimension.
template <class Element>
nb::object numpy(std::vector<Element> values, std::size_t width = 0) {
    auto owned = std::make_unique<std::vector<Element>>(std::move(values));
    Element* const data = owned->data();
    const std::size_t size = owned->size();
    nb::capsule owner(owned.release(),
                      [](void* p) noexcept { delete static_cast<std::vector<Element>*>(p); });
    if (width == 0) return nb::cast(nb::ndarray<nb::numpy, Element>(data, {size}, owner));
    return nb::cast(nb::ndarray<nb::numpy, Element>(data, {size / width, width}, owner));
}
