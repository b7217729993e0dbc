// Kernels for both backends; see core/backend.hpp.
#include "kernels.hpp"

#include "watari/core/loops.hpp"
#include "watari/core/parallel/warp.hpp"

namespace watari::WATARI_BACKEND {

namespace {

constexpr std::size_t piece = 1024;  // elements that a warp takes at a time

void add_one(const deep::node* root, const deep::shape& s, stream_t stream) {
    const std::size_t pieces = (s.each + piece - 1) / piece;
    for_each_warp(
        s.nodes() * pieces,
        [=, each = s.each] WATARI_KERNEL(std::size_t item) {
            const group lanes = group::active();
            const deep::node* at = deep::walk(root, 1 + item / pieces);
            const std::size_t first = item % pieces * piece;
            const std::size_t last = each < first + piece ? each : first + piece;
            double* data = at->data;
            for (std::size_t i = first + lanes.rank(); i < last; i += lanes.size()) data[i] += 1;
        },
        stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::deep {

const kernels kernels::WATARI_BACKEND{.add_one = WATARI_BACKEND::add_one};

}  // namespace watari::deep
