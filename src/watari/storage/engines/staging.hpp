/// One block on its way between a file and memory that the CPU may not address: where that memory
/// is a GPU's, the block is staged in pinned memory and copied by the GPU's copy engine.
#pragma once

#include "watari/core/device.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/storage/engines/engine.hpp"
#include "watari/storage/engines/gpu_stopwatch.hpp"

#include <optional>

namespace watari::storage {

class staging {
public:
    explicit staging(const duty& what) {
        if (!what.who.is_gpu()) return;
        device::use(what.who.number);
        stream_.emplace();
        copies_.emplace();
        // registered, not cudaMallocHost's: direct I/O and io_uring take anonymous memory alone
        pinned_.emplace(
            memory::kind::pinned, what.block,
            memory::placement{.device = what.who.number, .thp = memory::huge_pages::always});
    }

    /// Where the file's side of the block is; before a write, brings the data there.
    std::byte* before(direction way, std::byte* place, std::size_t bytes) {
        if (!pinned_) return place;
        if (way == direction::write) copy(pinned_->data(), place, bytes);
        return pinned_->data();
    }

    /// After a read, brings the data to their place.
    void after(direction way, std::byte* place, std::size_t bytes) {
        if (pinned_ && way == direction::read) copy(place, pinned_->data(), bytes);
    }

    /// Seconds of the copies so far, by those that were timed; none without a GPU.
    std::optional<double> gpu_seconds() const {
        if (!copies_) return std::nullopt;
        return timed_ == 0 ? 0 : copies_->seconds() * copied_ / timed_;
    }

private:
    /// The events around a copy cost as much as a small one: few copies have them.
    static constexpr std::size_t timed_each = 32;

    void copy(std::byte* to, const std::byte* from, std::size_t bytes) {
        const bool timed = copies_made_++ % timed_each == 0;
        if (timed) copies_->start(stream_->get());
        device::copy(to, from, bytes, stream_->get());
        timed ? copies_->stop(stream_->get()) : device::synchronize(stream_->get());
        copied_ += static_cast<double>(bytes);
        if (timed) timed_ += static_cast<double>(bytes);
    }

    std::optional<device::stream> stream_;
    std::optional<gpu_stopwatch> copies_;
    std::size_t copies_made_ = 0;
    double copied_ = 0, timed_ = 0;  ///< bytes
    std::optional<memory::buffer<std::byte>> pinned_;
};

}  // namespace watari::storage
