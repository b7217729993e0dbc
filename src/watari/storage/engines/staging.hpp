/// Moves one block at a time between a file and memory, in parts. For memory of a GPU, the block is
/// staged in pinned memory and copied by the GPU's copy engine.
#pragma once

#include "watari/core/device.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/storage/engines/engine.hpp"
#include "watari/storage/engines/gpu_stopwatch.hpp"
#include "watari/storage/engines/pieces.hpp"

#include <algorithm>
#include <optional>

namespace watari::storage {

class staging {
public:
    /// For requests of up to `room` bytes; by default, those of a block.
    explicit staging(const engine_options& options, std::size_t room = 0) {
        if (!options.who.is_gpu()) return;
        device::use(options.who.number);
        stream_.emplace();
        copies_.emplace();
        // registered, not from the driver: direct I/O and io_uring need anonymous memory
        pinned_.emplace(
            memory::kind::pinned, std::max(options.block, room),
            memory::placement{.device = options.who.number, .thp = memory::huge_pages::always});
    }

    /// Returns the memory that the file's bytes of block i move to or from, in order. Before a
    /// write from a GPU, copies the data there.
    std::span<const iovec> before(files::direction direction, const requests& list, std::size_t i) {
        if (pinned_ && direction == files::direction::write) copy(direction, list, i);
        return begin().add(list, i).pieces();
    }
    /// The same for a read of several blocks in succession, and what lies between them.
    staging& begin() {
        pieces_.clear();
        staged_ = 0;
        return *this;
    }
    staging& add(const requests& list, std::size_t i) {
        if (!pinned_) {
            add_pieces(list, i, pieces_);
            return *this;
        }
        pieces_.push_back({pinned_->data() + staged_, list.block});
        staged_ += list.block;
        return *this;
    }
    staging& skip(std::size_t bytes) {  ///< bytes of the file that have no place
        if (bytes > 0) pieces_.push_back({nullptr, bytes});
        return *this;
    }
    std::span<const iovec> pieces() const { return pieces_; }

    /// After a read, completes the data at their location.
    void after(files::direction direction, const requests& list, std::size_t i) {
        if (direction == files::direction::write) return;
        pinned_ ? copy(direction, list, i) : repeat_overlaps(list, i);
    }
    /// After a read of several blocks, whose parts do not overlap.
    void after(const requests& list, std::size_t first, std::size_t count) {
        if (!pinned_ || (count == 1 && list.tail == 0))
            return after(files::direction::read, list, first);
        copies_->start(stream_->get());
        for (std::size_t part = 0; part < list.parts; ++part)
            device::copy_rows(list.location(first, part), list.part_bytes(),
                              pinned_->data() + part * list.part_step(), list.block,
                              list.part_bytes(), count, stream_->get());
        if (list.tail > 0)
            device::copy_rows(list.tail_memory + first * list.tail, list.tail,
                              pinned_->data() + list.block - list.tail, list.block, list.tail,
                              count, stream_->get());
        copies_->stop(stream_->get());
        copied_ += static_cast<double>(count * list.block);
        timed_ += static_cast<double>(count * list.block);
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
    std::size_t staged_ = 0;  ///< bytes of the pinned memory that pieces take
};

}  // namespace watari::storage
