/// Chunks of leaves by the kernel of leaf_kernel.hpp, in pools of a processor's memory.
///
/// Memory of the GPU: the panels, 250 bytes each; a pool for the bytes of a chunk of leaves and one
/// of twice its size for their crosses. Pinned memory of the CPU: two parts of a chunk, of which
/// one is written to the file while the next one comes, or the next chunk is made.
#pragma once

#include "watari/hmatrix/build/leaf_kernel.hpp"
#include "watari/memory/buffer.hpp"

#include <array>
#include <functional>
#include <span>
#include <vector>

namespace watari::hmatrix {

/// Bytes that a leaf takes of the pools, about: of its crosses, and of its elements.
struct pool_bytes {
    std::uint64_t work, out;
};
pool_bytes expected_pools(const block& leaf, const build_options& how);

class leaf_chunks {
public:
    /// For `leaves` in all. `who` has the pools, and runs the kernels. Throws unsupported,
    /// beyond_memory.
    leaf_chunks(const leaf_maker& maker, const build_options& how, std::span<const block> leaves,
                processor who, const leaf_kernels& kernels);

    /// The first of some leaves, which are those behind what the last call returned: as many as the
    /// pools hold, in their order. `share` is a leaf's part of the error. Their data stay until the
    /// call after the next one. Throws beyond_memory where the pools do not hold the first one,
    /// system_error.
    std::vector<made_leaf> make(std::span<const block> leaves,
                                const std::function<double(const block&)>& share);

private:
    std::size_t fitting(std::span<const block> leaves) const;
    std::vector<leaf_result> run(std::span<const block> leaves,
                                 const std::function<double(const block&)>& share);
    std::vector<made_leaf> part_of(std::span<const block> leaves);
    void copy(void* to, const void* from, std::size_t bytes) const;

    build_options how_;
    processor who_;
    leaf_kernels kernels_;
    pool_bytes sizes_;
    std::size_t most_;  ///< leaves of a chunk
    memory::buffer<panel> panels_;
    memory::buffer<double> values_;
    memory::buffer<std::byte> work_, out_;
    memory::buffer<leaf_task> tasks_;
    memory::buffer<leaf_result> results_;
    memory::buffer<leaf_move> moves_;
    memory::buffer<std::uint64_t> taken_;  ///< of both pools
    std::array<memory::buffer<std::byte>, 2> host_;
    std::size_t turn_ = 0;  ///< of host_
    leaves_view view_{};
    std::vector<leaf_result> made_{};  ///< of the chunk in `out_`
    std::size_t given_ = 0;            ///< of them
};

}  // namespace watari::hmatrix
