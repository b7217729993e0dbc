/// A controller serves the queues of a namespace.
///
/// This one is software: threads of the CPU (`poller`) read doorbells in ordinary memory and pass
/// the commands to a backend: `ram`, `modelled`, `file`, or `faulty` around one of them. It needs
/// neither root nor a device, and works on ordinary files.
///
/// The interface for other controllers is `queue_memory` and `namespace_view`; users know nothing
/// else.
/// - A real NVMe device by VFIO: map BAR0, map every block of queue_memory at an IOVA equal to its
///   address (VFIO_IOMMU_MAP_DMA), enable the controller, identify it (MDTS gives `max_transfer`,
///   the LBA format `block_bytes`), create each completion and then submission queue with the rings
///   that queue_memory has, and put the addresses of the device's doorbells (BAR0 + 1000h + stride)
///   into the queue_views; for a GPU these pages of the BAR are registered with CUDA as I/O memory.
///   No thread polls; `reset` deletes and creates the queues. If the device reaches the GPU's
///   memory, it writes to the destinations of long reads itself; else `delivered_from` is 0.
/// - SPDK's target over vfio-user: the same, but the set-up messages go through a socket, the
///   memory is shared by file descriptor, and the doorbells are a page of it.
#pragma once

#include "watari/storage/backends/backend.hpp"
#include "watari/storage/controller/delivery.hpp"
#include "watari/storage/controller/poller.hpp"
#include "watari/storage/nvme/queue_memory.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace watari::storage {

struct controller_options {
    queue_options queues;
    std::uint32_t block_bytes = 512;  ///< a power of two, 512 to 65536
    std::uint32_t threads = 1;        ///< each serves its share of the queues
};

/// A software controller. Serves from its construction to its destruction.
class controller {
public:
    /// Throws usage_error, unsupported, beyond_memory, and what the backend throws.
    controller(std::shared_ptr<backend> store, const controller_options& options);
    controller(const controller&) = delete;
    controller& operator=(const controller&) = delete;
    ~controller();

    /// Returns the users' view; valid as long as the controller lives.
    namespace_view view() const;

    /// Makes all queues new: identifiers whose completions never arrived are free again. No user
    /// may have a command in flight, except commands that timed out.
    void reset();

    controller_counts counts() const;
    /// Returns why a thread failed, or else the backend's notice, such as a fallback; may be empty.
    std::string notice() const;
    /// The reasons of failed commands; null if the backend keeps none. Valid as long as the store
    /// lives.
    const error_log* errors() const { return store_->errors(); }

private:
    void start();
    void stop();
    std::unique_ptr<io_channel> open_channel();

    controller_options options_;
    std::shared_ptr<backend> store_;
    queue_memory memory_;
    served_namespace served_;
    std::optional<delivery> delivery_;
    std::vector<std::unique_ptr<poller>> pollers_;
    controller_counts before_;  ///< counts of the pollers before the last reset
    std::atomic<bool> stop_{false};
    std::vector<std::thread> threads_;
};

}  // namespace watari::storage
