/// Moves one block at a time between a file and memory, in parts. For memory of a GPU, the block is
/// staged in pinned memory and copied by the GPU's copy engine.
#pragma once

#include "watari/core/device.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/storage/engines/engine.hpp"
#include "watari/storage/engines/gpu_stopwatch.hpp"
#include "watari/storage/engines/pieces.hpp"

#include <optional>

namespace watari::storage {

class staging {
public:
    explicit staging(const engine_options& options) {
        if (!options.who.is_gpu()) return;
        device::use(options.who.number);
        stream_.emplace();
        copies_.emplace();
        // registered, not from the driver: direct I/O and io_uring need anonymous memory
        pinned_.emplace(
            memory::kind::pinned, options.block,
            memory::placement{.device = options.who.number, .thp = memory::huge_pages::always});
    }

    /// Returns the memory that the file's bytes of block i move to or from, in order. Before a
    /// write from a GPU, copies the data there.
    std::span<const iovec> before(files::direction direction, const requests& list, std::size_t i) {
        pieces_.clear();
        if (!pinned_) {
            add_pieces(list, i, pieces_);
            return pieces_;
        }
        if (direction == files::direction::write) copy(direction, list, i);
        pieces_.push_back({pinned_->data(), list.block});
        return pieces_;
    }

    /// After a read, completes the data at their location.
    void after(files::direction direction, const requests& list, std::size_t i) {
        if (direction == files::direction::write) return;
        pinned_ ? copy(direction, list, i) : repeat_overlaps(list, i);
    }

    /// Seconds of the copies so far, scaled up by bytes from the timed copies; none without a GPU.
    std::optional<double> gpu_seconds() const {
        if (!copies_) return std::nullopt;
        return timed_ == 0 ? 0 : copies_->seconds() * copied_ / timed_;
    }

private:
    /// The events around a copy cost as much as a small copy, so one copy in `timed_each` has them.
    static constexpr std::size_t timed_each = 32;

    void copy(files::direction direction, const requests& list, std::size_t i) {
        const bool timed = copies_made_++ % timed_each == 0;
        if (timed) copies_->start(stream_->get());
        const std::size_t step = list.part_step();
        std::byte *const location = list.location(i), *const side = pinned_->data();
        if (direction == files::direction::read)
            device::copy_rows(location, list.stride, side, step, step, list.parts, stream_->get());
        else
            device::copy_rows(side, step, location, list.stride, step, list.parts, stream_->get());
        if (list.overlap > 0)  // rows of one copy must not overlap
            device::copy_rows(location + step, list.stride, side + step, step, list.overlap,
                              list.parts, stream_->get());
        timed ? copies_->stop(stream_->get()) : device::synchronize(stream_->get());
        copied_ += static_cast<double>(list.block);
        if (timed) timed_ += static_cast<double>(list.block);
    }

    std::optional<device::stream> stream_;
    std::optional<gpu_stopwatch> copies_;
    std::size_t copies_made_ = 0;
    double copied_ = 0, timed_ = 0;  ///< bytes
    std::optional<memory::buffer<std::byte>> pinned_;
    std::vector<iovec> pieces_;
};

}  // namespace watari::storage
