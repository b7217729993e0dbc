/// The engines that move blocks between a store and memory, one file each behind one interface.
///
/// Each thread has an engine of its own, makes it, and hands it list after list of requests. What
/// an engine cannot do on this machine it says before anything runs; what it does otherwise than
/// its name promises, it notes.
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

namespace watari::storage {

/// A list of blocks: the one at offsets[i] of the store has its location at memory + i x block;
/// where it is of several equal parts, part k has its own at memory + k x stride + i x
/// part_bytes(). What is read may be in two parts: the last `overlap` bytes of one are the first of
/// the next.
struct requests {
    std::span<const std::uint64_t> offsets;  ///< bytes
    std::byte* memory;
    std::size_t block;        ///< bytes of each
    std::size_t parts = 1;    ///< of each block
    std::size_t stride = 0;   ///< bytes; of no meaning where blocks are of one part
    std::size_t overlap = 0;  ///< bytes, at most those from part to part; nor this

    std::size_t part_bytes() const { return (block + (parts - 1) * overlap) / parts; }
    /// In the block, from a part's beginning to the next one's.
    std::size_t part_step() const { return part_bytes() - overlap; }
    std::byte* location(std::size_t i, std::size_t part = 0) const {
        return memory + part * stride + i * part_bytes();
    }
    /// The same of some of the blocks alone.
    requests only(std::size_t first, std::size_t count) const {
        return {offsets.subspan(first, count), location(first), block, parts, stride, overlap};
    }
};

/// What one thread is to do with list after list.
struct engine_options {
    const files::striped_files* files = nullptr;  ///< of engines that open files
    const namespace_view* view = nullptr;         ///< of engines that submit commands
    const error_log* errors = nullptr;            ///< of their controller; null: a status says all
    bool on_disk = false;  ///< each request goes to a disk: some take far longer
    files::direction direction = files::direction::read;
    storage::pattern pattern = storage::pattern::random;
    std::size_t block = 0;        ///< bytes of a request, at most
    std::size_t depth = 1;        ///< requests in flight
    std::size_t requests = 0;     ///< of each list, at most
    processor who = the_cpu;      ///< whose memory it is
    std::byte* memory = nullptr;  ///< where all lists have their locations
    std::size_t bytes = 0;        ///< of that memory
};

/// Seconds of the clock by which engines time requests.
inline double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Commands that ended with an error and were sent again, and how the first of them had ended.
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

    /// Moves every block of the list. Throws, and is of no more use then.
    virtual void run(const requests& list) = 0;

    /// Of each request of the last list, from handing it over until its data were at their
    /// location. Good until the next list.
    virtual std::span<const double> seconds() { return seconds_; }

    /// Waits until what was written is durable. Throws.
    virtual void flush() { options_.files->sync(); }

    /// Between lists: holds on to no page of the page cache.
    virtual void let_go() {}

    /// Seconds that a GPU worked for this engine, in kernels and copies, over all lists so far.
    /// None without a GPU, and where that cannot be measured.
    virtual std::optional<double> gpu_seconds() const { return std::nullopt; }

    /// Over all lists so far; engines without commands have none.
    virtual repetitions sent_again() const { return {}; }

    /// What a reader of the results must know, such as a fallback.
    const std::vector<std::string>& notes() const noexcept { return notes_; }

protected:
    /// move(i) for each request of a list, one after the other, timed.
    template <class Move>
    void one_by_one(const requests& list, const Move& move) {
        seconds_.resize(list.offsets.size());
        double start = now();
        for (std::size_t i = 0; i < list.offsets.size(); ++i) {
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

/// One row of the table.
struct engine_row {
    std::string_view name;
    bool deep;      ///< has several requests in flight; the others have one a thread
    bool of_gpu;    ///< serves a GPU alone
    bool queued;    ///< submits commands to a controller; the others open files
    bool scatters;  ///< moves a block's parts by one request; the others each part by its own
    /// Why it cannot do this here; empty if it can.
    std::string (*unsupported)(const engine_options& options);
    std::unique_ptr<engine> (*make)(const engine_options& options);
};

/// All of them.
std::span<const engine_row> engines();

/// The row with this name. Throws usage_error.
const engine_row& engine_named(std::string_view name);

}  // namespace watari::storage
