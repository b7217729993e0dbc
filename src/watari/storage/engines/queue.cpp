// Engines `queue` and `gpu`: threads of the CPU or of a GPU submit NVMe commands themselves, to a
// controller that serves the store, and pull the data out of its slots. See request_list.cpp. A
// block that is longer than the largest command becomes several commands. A command that ends with
// an error is sent again three times at most, and never if its status has DNR set.
#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/memory/move.hpp"
#include "watari/storage/engines/gpu_stopwatch.hpp"
#include "watari/storage/engines/rows.hpp"
#include "watari/storage/nvme/queue_memory.hpp"
#include "watari/storage/nvme/request_list.hpp"
#include "watari/storage/nvme/status_text.hpp"

#include <algorithm>
#include <optional>

namespace watari::storage {

namespace {

constexpr int tries = 3;

class queue_engine final : public engine {
public:
    explicit queue_engine(const engine_options& options)
        : engine(options),
          commands_(commands_of(options.block)),
          each_(options.who.is_gpu() ? lanes(options) : under_way()),
          offsets_(kind(), options.requests * commands_, placed()),
          results_(own(), options.requests * commands_, placed()),
          failed_(kind(), 1, placed()),
          in_flight_(kind(), options.who.is_gpu() ? 1 : under_way(), placed()),
          taken_(own(), 1, placed()) {
        if (!options.who.is_gpu()) {
            cpu::set_threads(1);  // the loop over warps runs in this thread
            return;
        }
        stream_.emplace(device::priority::urgent);  // ahead of products that are running
        device::copy(taken_.data(), &before_, sizeof before_, stream());
        kernels_.emplace(device::waiting::asleep);  // leaves the core to threads that serve the GPU
    }

    void run(const requests& list) override {
        const requests cut = cut_up(list);
        serve(cut);
        blocks_ = list.offsets.size();
        several_ = list.block / cut.block;
        seconds_.clear();
        if (*failed_.data() != 0) send_again(cut);
    }

    std::span<const double> seconds() override {
        if (seconds_.empty()) seconds_ = spent(results(blocks_ * several_));
        return seconds_;
    }

    void flush() override {
        kernels_on<request_kernels>(options_.who).flush(described({}), stream());
        if (const status outcome = results(1).front().outcome; !outcome.ok())
            throw error("flush: " + text(outcome) + why(opcode::flush, 0));
    }

    repetitions sent_again() const override { return sent_again_; }

    std::optional<double> gpu_seconds() const override {
        return kernels_ ? std::optional(kernels_->seconds()) : std::nullopt;
    }

private:
    /// Number of threads of a warp that have a command. For long blocks it is small, so that a warp
    /// copies about as long as it waits; with even fewer, more warps take room from kernels that
    /// compute. On a disk, or the model of one, it is 1 up to a depth of `few`: a slow command
    /// would hold up the others of its warp.
    static std::size_t lanes(const engine_options& options) {
        constexpr std::size_t few = 256, copied_at_once = 1 << 16;
        if (options.on_disk && options.depth <= few) return 1;
        const std::size_t most = options.block < prp_page ? 32 : 8;
        return std::clamp<std::size_t>(copied_at_once / options.block, 1,
                                       std::min(most, options.depth));
    }
    /// Number of commands of a block. Where the controller delivers reads, warps still copy writes:
    /// a write becomes several commands, so that some are in flight while others are copied.
    std::size_t commands_of(std::size_t block) const {
        std::size_t bytes = options_.view->max_transfer;
        if (options_.view->delivered_from > 0 && options_.direction == files::direction::write)
            bytes = std::min(bytes, copied_by_warps);
        return std::max<std::size_t>(1, block / bytes);
    }
    /// Number of commands in flight. For such writes, at most half of the identifiers, for other
    /// users need some: more warps would only wait.
    std::size_t under_way() const {
        const std::size_t all = options_.depth * commands_;
        if (options_.view->delivered_from == 0 || options_.direction == files::direction::read)
            return all;
        const std::size_t max_outstanding =
            std::size_t{options_.view->queue_count} * options_.view->max_outstanding;
        return std::clamp<std::size_t>(max_outstanding / 2, 1, all);
    }

    /// Splits the blocks of a list into commands.
    requests cut_up(const requests& list) {
        const std::size_t each = list.parts == 1 ? commands_of(list.block) : 1;
        if (each == 1) return list;
        const std::size_t bytes = list.block / each;
        cut_.clear();
        for (const std::uint64_t offset : list.offsets)
            for (std::size_t c = 0; c < each; ++c) cut_.push_back(offset + c * bytes);
        return {cut_, list.memory, bytes};
    }
    /// Results of the first `count` commands of the last list. They are in memory of the requester:
    /// for short requests every store over the link counts.
    std::vector<request_result> results(std::size_t count) const {
        return memory::read_back(options_.who, results_.data(), count, stream());
    }

    /// Seconds of each block, from the beginning of its first command to the end of its last.
    std::vector<double> spent(const std::vector<request_result>& commands) const {
        std::vector<double> seconds(blocks_);
        for (std::size_t i = 0; i < blocks_; ++i) {
            request_result all = commands[i * several_];
            for (const request_result& each : std::span(commands).subspan(i * several_, several_)) {
                all.began = std::min(all.began, each.began);
                all.ended = std::max(all.ended, each.ended);
            }
            seconds[i] = static_cast<double>(all.ended - all.began) * 1e-9;
        }
        return seconds;
    }

    /// Memory of lists: a GPU reads each entry once, over the link.
    memory::kind kind() const { return memory::host_kind(options_.who); }
    /// Memory that only the requester reads and writes.
    memory::kind own() const { return memory::local_kind(options_.who); }
    memory::placement placed() const { return {.device = options_.who.number}; }
    stream_t stream() const { return stream_ ? stream_->get() : nullptr; }

    request_list described(const requests& list) const {
        return {.view = *options_.view,
                .offsets = offsets_.data(),
                .count = list.offsets.size(),
                .part = static_cast<std::uint32_t>(list.part_bytes()),
                .parts = static_cast<std::uint32_t>(list.parts),
                .stride = list.stride,
                .overlap = static_cast<std::uint32_t>(list.overlap),
                .write = options_.direction == files::direction::write,
                .memory = list.memory,
                .results = results_.data(),
                .failed = failed_.data(),
                .in_flight = in_flight_.data(),
                .taken = taken_.data(),
                .before = before_,
                .warps = (under_way() + each_ - 1) / each_,
                .each = each_};
    }

    /// Runs the list and waits.
    void serve(const requests& list) {
        std::copy(list.offsets.begin(), list.offsets.end(), offsets_.data());
        *failed_.data() = 0;
        if (stream_) kernels_->start(stream());
        const request_list all = described(list);
        kernels_on<request_kernels>(options_.who).run(all, stream());
        before_ += all.takes();
        if (stream_) kernels_->stop(stream());
    }

    /// Sends the failed commands of the list again, and adds that time to the seconds of their
    /// block.
    void send_again(const requests& list) {
        const std::vector all =
            results(list.offsets.size());  // a copy: commands sent again overwrite results_
        seconds_ = spent(all);
        for (std::size_t c = 0; c < all.size(); ++c)
            if (!all[c].outcome.ok())
                seconds_[c / several_] += again(list.only(c, 1), all[c].outcome);
    }

    /// Sends a list of one command again until it succeeds; returns the seconds. Throws error if it
    /// fails for good.
    double again(const requests& one, status outcome) {
        const double start = now();
        for (int sent = 0; sent < tries && !outcome.ok() && !outcome.dnr; ++sent) {
            if (sent_again_.count++ == 0) sent_again_.first = outcome;
            serve(one);
            outcome = results(1).front().outcome;
        }
        if (!outcome.ok())
            throw error(
                std::string(options_.direction == files::direction::read ? "read" : "write") +
                " of " + std::to_string(one.block) + " bytes at " +
                std::to_string(one.offsets.front()) + ": " + text(outcome) +
                why(options_.direction == files::direction::read ? opcode::read : opcode::write,
                    one.offsets.front()));
        return now() - start;
    }

    std::string why(opcode operation, std::uint64_t offset) const {
        return options_.errors ? options_.errors->about(operation, offset) : "";
    }

    std::size_t commands_;  ///< commands of a block, at most
    std::size_t each_;      ///< commands in flight of one warp
    std::vector<std::uint64_t> cut_;
    memory::buffer<std::uint64_t> offsets_;
    memory::buffer<request_result> results_;
    memory::buffer<std::uint32_t> failed_;
    memory::buffer<request_in_flight> in_flight_;
    memory::buffer<std::uint64_t> taken_;  ///< for a GPU; see request_list
    std::uint64_t before_ = 0;
    std::optional<device::stream> stream_;
    std::optional<gpu_stopwatch> kernels_;
    std::size_t blocks_ = 0, several_ = 1;  ///< blocks of the last list, commands of each
    repetitions sent_again_;
};

}  // namespace

std::string queue_unsupported(const engine_options& options) {
    return options.who.is_gpu() ? "threads of the CPU use engine queue; engine=gpu" : "";
}

std::string gpu_unsupported(const engine_options& options) {
    return options.who.is_gpu() ? ""
                                : "engine gpu is a GPU's threads; processor=gpu, or engine=queue";
}

std::unique_ptr<engine> make_queue(const engine_options& options) {
    return std::make_unique<queue_engine>(options);
}

}  // namespace watari::storage
