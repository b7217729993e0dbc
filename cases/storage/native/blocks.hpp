/// The memory of a sample: the locations and the contents of its blocks.
#pragma once

#include "storage.hpp"
#include "watari/core/device.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/memory/move.hpp"
#include "watari/storage/verify/order.hpp"
#include "watari/storage/verify/sector.hpp"
#include "watari/storage/verify/sectors.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace watari::cases {

/// An array that holds every block of a sample, and the offset of each in the store.
class blocks_in_memory {
public:
    explicit blocks_in_memory(const storage_parameters& p)
        : p_(&p),
          data_(memory::local_kind(p.processor), p.requests * p.block,
                memory::huge_placement(p.processor)),
          offsets_(p.requests) {
        if (p.processor.is_gpu()) on_gpu_.emplace(p.requests * sizeof(std::uint64_t));
    }

    std::byte* data() const { return data_.data(); }
    std::size_t block() const { return p_->block; }
    const std::vector<std::uint64_t>& offsets() const { return offsets_; }

    /// Chooses the blocks of the next sample; `first` blocks came before. `number` returns the
    /// block that is visited n-th.
    template <class Number>
    void choose(const Number& number, std::uint64_t first) {
        for (std::size_t i = 0; i < offsets_.size(); ++i)
            offsets_[i] = p_->place(number(first + i));
        if (!on_gpu_) return;
        memory::copy_now(p_->processor, on_gpu_->data(), offsets_.data(),
                         offsets_.size() * sizeof(offsets_[0]));
    }

    /// The blocks, in the CPU's memory.
    std::vector<std::byte> copy() const {
        std::vector<std::byte> result(p_->requests * p_->block);
        memory::copy_now(p_->processor, result.data(), data(), result.size());
        return result;
    }

    void write(std::uint64_t generation) const {
        kernels_on<storage::sector_kernels>(p_->processor).write(where(), generation, nullptr);
        memory::wait(p_->processor);
    }
    void spoil() const {
        kernels_on<storage::sector_kernels>(p_->processor).spoil(where(), nullptr);
        memory::wait(p_->processor);
    }
    std::size_t wrong(std::uint64_t generation) const {
        return kernels_on<storage::sector_kernels>(p_->processor)
            .wrong(where(), generation, nullptr);
    }

private:
    storage::blocks where() const {
        const void* offsets = on_gpu_ ? on_gpu_->data() : offsets_.data();
        return {data_.data(), static_cast<const std::uint64_t*>(offsets), offsets_.size(),
                p_->block / storage::sector_bytes};
    }

    const storage_parameters* p_;
    memory::buffer<std::byte> data_;
    std::vector<std::uint64_t> offsets_;
    std::optional<device::scratch> on_gpu_;
};

}  // namespace watari::cases
