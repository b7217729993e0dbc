/// Delivers the data of long reads from their slots to the memory that they name: for a GPU by its
/// copy engine, which leaves the multiprocessors to other work, for a CPU by memcpy.
///
/// One thread serves all channels of a controller; it sleeps while there is nothing to deliver. It
/// announces each copy, then checks that the data are still wanted, then copies: see namespace.hpp.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/processor.hpp"
#include "watari/storage/backends/backend.hpp"
#include "watari/storage/nvme/namespace.hpp"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace watari::storage {

class delivery {
public:
    /// Reads of one channel whose data have been delivered.
    class completed_queue {
    public:
        void put(const ending& one);
        std::vector<ending> take();

    private:
        std::mutex mutex_;
        std::vector<ending> all_;
        std::atomic<bool> any_{false};
    };

    /// A read whose data are in its slot.
    struct delivery_request {
        ending completed;
        memory_range to;
        completed_queue* sender;  ///< gets the ending: abort_requested if the data were no longer
                                  ///< wanted, data_transfer_error if they could not be delivered
    };

    /// For the users of a namespace whose queues outlive it. Throws what CUDA throws, and
    /// unsupported where copies do not pass kernels.
    delivery(const namespace_view& view, processor users);
    delivery(const delivery&) = delete;
    delivery& operator=(const delivery&) = delete;
    /// Every request must have ended.
    ~delivery();

    void bring(const delivery_request& one);

    /// Returns a channel over another, whose reads with a destination end when their data are
    /// delivered.
    std::unique_ptr<io_channel> over(std::unique_ptr<io_channel> inner);

private:
    struct copy_in_flight {
        delivery_request request;
        std::size_t arrival;  ///< index in arrivals_
    };

    void run();
    void begin(const delivery_request& one);
    bool end_arrived();
    void end_failed(const delivery_request& one) const;
    void end(const delivery_request& one, status outcome) const;

    const namespace_view view_;
    const processor users_;
    std::optional<device::stream> stream_;  ///< for a GPU, like the events
    std::vector<device::event> arrivals_;
    std::size_t begun_ = 0;
    std::deque<copy_in_flight> under_way_;  ///< in the order of the stream

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<delivery_request> waiting_;
    bool stop_ = false;
    std::thread thread_;
};

}  // namespace watari::storage
