/// The engines that move blocks between a store and memory, one file each behind one interface.
///
/// Each thread makes its own engine and gives it one list of requests after another. An engine that
/// cannot run on this machine reports that before any list. An engine that works differently from
/// its name, for example by a fallback, adds a note.
#pragma once

#include "watari/core/processor.hpp"
#include "watari/files/file_error.hpp"
#include "watari/files/striped_files.hpp"
#include "watari/storage/backends/error_log.hpp"
#include "watari/storage/nvme/namespace.hpp"
#include "watari/storage/verify/order.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace watari::objects {
class object_set;
}

namespace watari::storage {

class disk_array;

/// A list of blocks. The block at offsets[i] of the store has its location at memory + i x block.
/// If blocks have several equal parts, part k is at memory + k x stride + i x part_bytes(). Parts
/// that are read may overlap: the last `overlap` bytes of one are the first of the next. A list
/// with `times` is an open loop: request i begins at times[i], or as soon after as a request may
/// begin, and its seconds count from times[i].
struct requests {
    std::span<const std::uint64_t> offsets;  ///< bytes
    std::byte* memory;
    std::size_t block;                ///< bytes of each
    std::size_t parts = 1;            ///< of each block
    std::size_t stride = 0;           ///< bytes from part to part in memory; unused if parts is 1
    std::size_t overlap = 0;          ///< bytes, at most part_step(); unused if parts is 1
    std::span<const double> times{};  ///< moments of now(), ascending; empty: as fast as possible
    /// Bytes at the end of each block that belong to no part; those of block i go to tail_memory +
    /// i x tail. For reads by engines that call add_pieces.
    std::size_t tail = 0;
    std::byte* tail_memory = nullptr;

    std::size_t part_bytes() const { return (block - tail + (parts - 1) * overlap) / parts; }
    /// Bytes in the block from the start of a part to the start of the next.
    std::size_t part_step() const { return part_bytes() - overlap; }
    std::byte* location(std::size_t i, std::size_t part = 0) const {
        return memory + part * stride + i * part_bytes();
    }
    /// The list of `count` blocks from block `first` on.
    requests only(std::size_t first, std::size_t count) const {
        return {offsets.subspan(first, count),
                location(first),
                block,
                parts,
                stride,
                overlap,
                times.empty() ? times : times.subspan(first, count),
                tail,
                tail_memory ? tail_memory + first * tail : nullptr};
    }
};

/// The options of one thread's engine, for all its lists.
struct engine_options {
    const files::striped_files* files = nullptr;   ///< for engines that open files
    const objects::object_set* objects = nullptr;  ///< for engines that read objects
    const namespace_view* view = nullptr;          ///< for engines that submit commands
    const error_log* errors = nullptr;             ///< of the controller; null if it keeps none
    disk_array* disks =
        nullptr;           ///< modelled SSDs whose times the requests to files in memory have
    bool on_disk = false;  ///< each request goes to a disk, or to the model of one behind a
                           ///< controller, and some take far longer
    files::direction direction = files::direction::read;
    storage::pattern pattern = storage::pattern::random;
    std::size_t block = 0;     ///< bytes of the largest request
    std::size_t depth = 1;     ///< requests in flight
    std::size_t requests = 0;  ///< requests of the longest list
    /// For engines that read objects: bytes of a request that brings several blocks of a list, at
    /// most, and bytes between two of them (objects/plan.hpp). 0: a request for each block.
    std::size_t merged = 0, gap = 0;
    processor who = the_cpu;      ///< the processor that `memory` belongs to
    std::byte* memory = nullptr;  ///< contains the locations of all lists
    std::size_t bytes = 0;        ///< bytes of `memory`
};

/// Seconds of the clock by which engines time requests.
inline double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Waits until this moment of the same clock. The thread sleeps, and polls at the end.
void wait_until(double moment);

/// Commands that ended with an error and were sent again, and the status of the first of them.
struct repetitions {
    std::size_t count = 0;
    status first{};
};

class engine {
public:
    explicit engine(const engine_options& options) : options_(options) {}
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;
    virtual ~engine() = default;

    /// Moves every block of the list. After it throws, the engine must not be used again.
    virtual void run(const requests& list) = 0;

    /// Seconds of each request of the last list, from its submission until its data were at their
    /// location. Valid until the next list.
    virtual std::span<const double> seconds() { return seconds_; }

    /// Waits until earlier writes are durable. Throws.
    virtual void flush();

    /// Releases all pages of the page cache; called between lists.
    virtual void let_go() {}

    /// Seconds that a GPU worked for this engine, in kernels and copies, over all lists so far.
    /// None without a GPU, and where that cannot be measured.
    virtual std::optional<double> gpu_seconds() const { return std::nullopt; }

    /// Commands sent again over all lists so far; none for engines without commands.
    virtual repetitions sent_again() const { return {}; }

    /// Bytes that came between blocks and were thrown away, over all lists so far.
    virtual std::uint64_t surplus() const { return 0; }

    /// Notes for readers of the results, such as a fallback.
    const std::vector<std::string>& notes() const noexcept { return notes_; }

protected:
    /// Calls move(i) for each request of a list in turn, at its time, and times each call.
    template <class Move>
    void one_by_one(const requests& list, const Move& move) {
        seconds_.resize(list.offsets.size());
        double start = now();
        for (std::size_t i = 0; i < list.offsets.size(); ++i) {
            if (!list.times.empty()) wait_until(start = list.times[i]);
            move(i);
            const double end = now();
            seconds_[i] = end - start;
            start = end;
        }
    }

    void note(std::string text) { notes_.push_back(std::move(text)); }

    const engine_options options_;
    std::vector<double> seconds_;  ///< see seconds()

private:
    std::vector<std::string> notes_;
};

/// One row of the table of engines.
struct engine_row {
    std::string_view name;
    bool deep;        ///< has several requests in flight; other engines have one a thread
    bool of_gpu;      ///< serves a GPU only
    bool queued;      ///< submits commands to a controller; other engines open files
    bool of_objects;  ///< reads objects of a server; other engines open files or submit commands
    bool scatters;    ///< moves all parts of a block by one request; others, each part by its own
    /// Returns why the engine cannot run with these options here; empty if it can.
    std::string (*unsupported)(const engine_options& options);
    std::unique_ptr<engine> (*make)(const engine_options& options);
};

/// All engines.
std::span<const engine_row> engines();

/// The row with this name. Throws usage_error if there is none.
const engine_row& engine_named(std::string_view name);

}  // namespace watari::storage
