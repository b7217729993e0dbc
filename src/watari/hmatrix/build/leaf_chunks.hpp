/// Makes chunks of leaves by the kernel of leaf_kernel.hpp, in pools of a processor's memory.
///
/// While the GPU makes a chunk, parts of the chunk before go to the CPU: a short kernel gathers a
/// part, and a copy engine moves it.
///
/// Memory of the GPU: the panels, 250 bytes each; a pool of twice a chunk for the crosses of
/// leaves, two of a chunk for their bytes, and a part. Pinned memory of the CPU: two parts; one is
/// written to the file while the next one arrives.
#pragma once

#include "watari/core/device.hpp"
#include "watari/hmatrix/build/leaf_kernel.hpp"
#include "watari/memory/buffer.hpp"

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace watari::hmatrix {

/// Approximate bytes of a leaf in the pools: `work` for its crosses, `out` for its elements.
struct pool_bytes {
    std::uint64_t work, out;
};
pool_bytes expected_pools(const block& leaf, const build_options& how);

class leaf_chunks {
public:
    /// `leaves` are all leaves to make. `who` has the pools, and runs the kernels. Throws
    /// unsupported, beyond_memory.
    leaf_chunks(const leaf_maker& maker, const build_options& how, std::span<const block> leaves,
                processor who, const leaf_kernels& kernels);

    /// Makes the first of `leaves`, in their order, as many as the pools hold. `leaves` begin
    /// behind the last one that the call before returned. `share` is a leaf's part of the error.
    /// The data stay valid until the call after the next one. Throws beyond_memory if the pools do
    /// not hold the first leaf; throws system_error.
    std::vector<made_leaf> make(std::span<const block> leaves,
                                const std::function<double(const block&)>& share);

private:
    using share_of = std::function<double(const block&)>;

    /// Leaves to make: those for a block of threads, then those for a warp; the largest of each
    /// first.
    struct task_list {
        std::size_t leaves = 0;
        std::vector<leaf_task> tasks{};
    };

    std::size_t fitting(std::span<const block> leaves) const;
    task_list tasks_for(std::span<const block> leaves, const share_of& share) const;
    void take_next(std::span<const block> leaves, const share_of& share);
    void launch(task_list what);
    void run_waiting();
    std::vector<leaf_result> results();
    std::vector<made_leaf> part_of(std::span<const block> leaves);
    stream_t making() const { return making_ ? making_->get() : nullptr; }
    stream_t moving() const { return moving_ ? moving_->get() : nullptr; }

    build_options how_;
    processor who_;
    leaf_kernels kernels_;
    pool_bytes sizes_;
    std::size_t most_;  ///< leaves of a chunk, at most
    std::optional<device::stream> making_{}, moving_{};
    memory::buffer<panel> panels_;
    memory::buffer<double> values_;
    memory::buffer<std::byte> work_;
    std::array<memory::buffer<std::byte>, 2> out_;  ///< of the chunk in progress, and of `made_`
    memory::buffer<leaf_task> tasks_;
    memory::buffer<leaf_result> results_;
    memory::buffer<leaf_move> moves_;
    memory::buffer<std::uint64_t> taken_;  ///< of both pools
    memory::buffer<std::byte> part_;
    std::vector<memory::buffer<std::byte>> host_{};  ///< two, of a part each
    std::size_t turn_ = 0;                           ///< index in host_ of the next part
    leaves_view view_{};
    task_list waiting_{};              ///< the chunk in progress: leaves that are not made yet
    task_list next_{};                 ///< the chunk after it
    std::vector<leaf_result> made_{};  ///< results of the chunk before it
    std::size_t given_ = 0;            ///< results of made_ that were returned
};

}  // namespace watari::hmatrix
