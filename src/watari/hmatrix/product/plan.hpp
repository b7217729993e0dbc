/// The plan of a product: lists for the kernels, in memory of the processor.
#pragma once

#include "watari/hmatrix/product/kernels.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/memory/move.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace watari::hmatrix {

/// The lists in memory of the CPU, for the kernels of a CPU or of a GPU. Offsets of leaves count
/// from the first byte of their batch.
struct plan_lists {
    struct beginning {
        std::size_t leaf, projection, entry, tile;
        std::uint64_t bytes;  ///< of the leaves before
    };
    std::vector<beginning> beginnings;  ///< of the batches, and the end of the last
    std::vector<tile> tiles;
    std::vector<leaf_view> leaves;  ///< for a CPU, like the next line
    std::vector<std::uint32_t> projections, entries;
    std::vector<factor_row> rows;  ///< for a GPU, like the next line
    std::vector<tile_piece> pieces;

    plan_lists(const matrix_index& index, std::span<const batch> batches, processor::type who);
    std::size_t bytes() const;
    std::size_t scratch() const;  ///< doubles for one system, for any of the batches

private:
    void add_batch(std::span<const leaf_record> of, std::uint64_t base, const identity& matrix);
    void project(const identity& matrix);
    void add_tiles(const identity& matrix);
    void sort_tiles();

    bool on_gpu_;
    beginning next_{};
    std::vector<leaf_view> own_;  ///< leaves of the batch that is added
};

class product_plan {
public:
    /// Throws beyond_memory.
    product_plan(const matrix_index& index, const plan_lists& lists, processor who);

    std::size_t size() const { return beginnings_.size() - 1; }
    batch_view view_of(std::size_t number) const;
    std::size_t scratch() const { return scratch_; }

private:
    std::vector<plan_lists::beginning> beginnings_;
    std::uint64_t length_;
    std::size_t scratch_;
    memory::buffer<std::byte> memory_;
    batch_view all_{};  ///< the lists of all batches
};

/// Copies values to `to`, in memory of a processor; advances `to` by their bytes, rounded up to a
/// multiple of 256.
template <class Element>
const Element* placed(std::byte*& to, const std::vector<Element>& values, processor who) {
    auto* const first = reinterpret_cast<Element*>(to);
    const std::size_t bytes = values.size() * sizeof(Element);
    memory::copy_now(who, first, values.data(), bytes);
    to += (bytes + 255) / 256 * 256;
    return first;
}

}  // namespace watari::hmatrix
