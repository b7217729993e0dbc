/// A binary tree of pointers: each node has two children and an array of its own.
///
/// Nodes are numbered as in a heap: the root is 1, the children of n are 2 n and 2 n + 1. A tree of
/// `depth` levels has 2^depth - 1 nodes.
#pragma once

#include <cstddef>

namespace watari::deep {

struct node {
    node* child[2];
    double* data;
    std::size_t count;  ///< doubles
};

/// The depth of a tree, and the size of each node's array.
struct shape {
    unsigned depth;
    std::size_t each;  ///< doubles of a node

    constexpr std::size_t nodes() const { return (std::size_t{1} << depth) - 1; }
    constexpr std::size_t bytes() const { return nodes() * each * sizeof(double); }
};

/// Returns node n, following the pointers from the root down: one load per level. Does not use
/// std::bit_width, which nvcc compiles to 0 on a GPU.
template <class Node>
constexpr Node* walk(Node* at, std::size_t n) {
    unsigned level = 0;
    while (n >> level > 1) ++level;
    while (level-- > 0) at = at->child[n >> level & 1];
    return at;
}

/// Returns the value of element i of node n before the first sample.
constexpr double start(std::size_t n, std::size_t i) {
    return static_cast<double>((n * 8191 + i) % 1000003);
}

/// Builds node n and the tree below it. allocate(bytes) returns memory.
template <class Allocate>
node* build(const shape& s, const Allocate& allocate, std::size_t n = 1) {
    auto* made = static_cast<node*>(allocate(sizeof(node)));
    made->data = static_cast<double*>(allocate(s.each * sizeof(double)));
    made->count = s.each;
    for (std::size_t i = 0; i < s.each; ++i) made->data[i] = start(n, i);
    for (std::size_t side : {0u, 1u})
        made->child[side] = 2 * n > s.nodes() ? nullptr : build(s, allocate, 2 * n + side);
    return made;
}

/// Releases every node and array of a tree.
template <class Release>
void take_down(node* top, const Release& release) {
    for (node* child : top->child)
        if (child) take_down(child, release);
    release(top->data);
    release(top);
}

/// Returns the number of elements that differ from their start value plus one per sample; the CPU
/// counts them.
std::size_t mismatches(const node* root, const shape& s, std::size_t samples);

}  // namespace watari::deep
