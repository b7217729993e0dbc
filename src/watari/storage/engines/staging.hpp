/// One block on its way between a file and memory that the CPU may not address: where that memory
/// is a GPU's, the block is staged in pinned memory and copied by the GPU's copy engine.
#pragma once

#include "watari/core/device.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/storage/engines/engine.hpp"

#include <optional>

namespace watari::storage {

class staging {
public:
    explicit staging(const duty& what) {
        if (!what.who.is_gpu()) return;
        device::use(what.who.number);
        stream_.emplace();
        // registered, not cudaMallocHost's: direct I/O and io_uring take anonymous memory alone
        pinned_.emplace(
            memory::kind::pinned, what.block,
            memory::placement{.device = what.who.number, .thp = memory::huge_pages::always});
    }

    /// Where the file's side of the block is; before a write, brings the data there.
    std::byte* before(direction way, std::byte* place, std::size_t bytes) {
        if (!pinned_) return place;
        if (way == direction::write)
            device::read_back(pinned_->data(), place, bytes, stream_->get());
        return pinned_->data();
    }

    /// After a read, brings the data to their place.
    void after(direction way, std::byte* place, std::size_t bytes) {
        if (!pinned_ || way == direction::write) return;
        device::copy(place, pinned_->data(), bytes, stream_->get());
        device::synchronize(stream_->get());
    }

private:
    std::optional<device::stream> stream_;
    std::optional<memory::buffer<std::byte>> pinned_;
};

}  // namespace watari::storage
