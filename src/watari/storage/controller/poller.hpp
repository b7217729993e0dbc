/// One thread of a software controller: reads the doorbells of its queues, fetches commands, checks
/// them, passes them to its channel of the backend, and posts completions.
#pragma once

#include "watari/storage/backends/backend.hpp"
#include "watari/storage/nvme/queue_memory.hpp"

#include <atomic>
#include <bitset>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace watari::storage {

/// Counts of a controller since it was made.
struct controller_counts {
    std::uint64_t commands = 0;
    std::uint64_t failed = 0;  ///< completions with an error; rejected commands count only here
    std::uint64_t bytes_read = 0, bytes_written = 0;
};

/// The namespace that a poller serves, and the memory that commands may name.
struct served_namespace {
    std::uint64_t blocks;
    std::uint32_t block_bytes;
    std::uint32_t max_transfer;
    std::vector<memory_range> known;
};

class poller {
public:
    /// Serves every queue whose number is `first` plus a multiple of `step`. If the options of
    /// `memory` deliver reads, the channel must be one of a delivery.
    poller(const queue_memory& memory, const served_namespace& served,
           std::unique_ptr<io_channel> channel, std::uint32_t first, std::uint32_t step);

    /// Serves until `stop`, and then until no command is in flight.
    void run(const std::atomic<bool>& stop);

    /// One round over all queues; true if there was anything to do.
    bool serve();

    controller_counts counts() const;
    /// The message that the channel threw, after which every command fails with internal_error;
    /// empty if it threw nothing.
    std::string failure() const { return failed_.load() ? failure_ : ""; }

private:
    struct queue {
        std::uint16_t number;
        submission_entry* submissions;
        completion_entry* completions;
        std::uint32_t* doorbells;
        std::uint32_t head, tail;  ///< of submissions fetched, of completions posted; unwrapped
        std::uint32_t taken;       ///< completions taken, as last read: a read is a cache miss
        std::bitset<65536> under_way;
        std::deque<ending> held;  ///< ended, but the completion queue is full
    };

    bool fetch(queue& q);
    status check(const queue& q, const submission_entry& command, request& out);
    status check_delivery(const queue& q, const submission_entry& command, request& out);
    bool start(queue& q, const submission_entry& command);
    void post(queue& q, const ending& e);
    bool write_entry(queue& q, const ending& e);
    void count(const request& command);
    void fail(const std::exception& e);

    served_namespace served_;
    namespace_view view_;
    std::uint32_t depth_, depth_log2_, step_, first_;
    std::vector<queue> queues_;
    std::unique_ptr<io_channel> channel_;
    std::vector<ending> ended_;
    std::vector<memory_range> ranges_;
    controller_counts counts_;  ///< written by this thread alone, word by word
    std::string failure_;
    std::atomic<bool> failed_{false};
};

}  // namespace watari::storage
