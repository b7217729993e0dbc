/// The kernel of case `deep`.
///
/// add_one: data[i] += 1 for every element of every node, 8 bytes read and 8 written per element, 1
/// flop. A warp, or a thread of a CPU, takes a piece of up to 1024 elements. It follows the
/// pointers from the root down to the piece's node: 8 bytes per level, which are not counted.
#pragma once

#include "tree.hpp"
#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"
#include "watari/core/processor.hpp"

#include <cstddef>

namespace watari::deep {

/// The kernels of one backend. On a GPU they return before they are done.
struct kernels {
    void (*add_one)(const node* root, const shape& s, stream_t stream);
    static const kernels cpu, gpu;
};

}  // namespace watari::deep
