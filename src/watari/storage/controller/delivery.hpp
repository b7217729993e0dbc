/// Brings the data of long reads on from their slots to the memory that they name: for a GPU by its
/// copy engine, which leaves the multiprocessors to others, for a CPU by copying.
///
/// One thread for all lanes of a controller; it sleeps while there is nothing to bring. What it
/// begins to copy it says beforehand, and looks then whether it is wanted still: see namespace.hpp.
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

class courier {
public:
    /// Where a lane finds what was brought for it.
    class inbox {
    public:
        void put(const ending& one);
        std::vector<ending> take();

    private:
        std::mutex mutex_;
        std::vector<ending> all_;
        std::atomic<bool> any_{false};
    };

    /// A read whose data are in its slot.
    struct parcel {
        ending what;
        memory_range to;
        inbox* sender;  ///< gets its ending: with abort_requested if it was not wanted any more,
                        ///< and data_transfer_error if it could not be brought
    };

    /// For the users of a namespace whose queues outlive it. Throws what CUDA throws, and
    /// unsupported where copies do not pass kernels.
    courier(const namespace_view& view, processor users);
    courier(const courier&) = delete;
    courier& operator=(const courier&) = delete;
    /// Only when every parcel has ended.
    ~courier();

    void bring(const parcel& one);

    /// A lane over another, whose reads with a destination end when their data are there.
    std::unique_ptr<lane> over(std::unique_ptr<lane> inner);

private:
    struct flight {
        parcel what;
        std::size_t arrival;  ///< in arrivals_
    };

    void run();
    void begin(const parcel& one);
    bool end_arrived();
    void end_failed(const parcel& one) const;
    void end(const parcel& one, status outcome) const;

    const namespace_view view_;
    const processor users_;
    std::optional<device::stream> stream_;  ///< of a GPU, as the events are
    std::vector<device::event> arrivals_;
    std::size_t begun_ = 0;
    std::deque<flight> under_way_;  ///< in the order of the stream

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<parcel> waiting_;
    bool stop_ = false;
    std::thread thread_;
};

}  // namespace watari::storage
