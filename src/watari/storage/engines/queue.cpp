// Engines `queue` and `gpu`: threads of the CPU or of a GPU submit NVMe commands themselves, to a
// controller that serves the store, and pull the data out of its slots. See request_list.cpp. A
// block that is longer than a command may be is several. A command that ends with an error is sent
// again, three times at most.
#include "watari/core/backend.hpp"
#include "watari/core/error.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/storage/engines/gpu_stopwatch.hpp"
#include "watari/storage/engines/rows.hpp"
#include "watari/storage/request_list.hpp"
#include "watari/storage/status_text.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace watari::storage {

namespace {

constexpr int tries = 3;

class queue_engine final : public engine {
public:
    explicit queue_engine(const duty& what)
        : engine(what),
          commands_(commands_of(what.block)),
          each_(what.who.is_gpu() ? lanes(what) : under_way()),
          offsets_(kind(), what.requests * commands_, placed()),
          nanoseconds_(kind(), what.requests * commands_, placed()),
          began_(kind(), needs_began() ? what.requests * commands_ : 1, placed()),
          outcomes_(kind(), what.requests * commands_, placed()),
          places_(kind(), what.who.is_gpu() ? 1 : under_way(), placed()) {
        if (!what.who.is_gpu()) {
            cpu::set_threads(1);  // of the loop over warps: this thread is one
            return;
        }
        stream_.emplace(device::priority::urgent);  // before products that are under way
        kernels_.emplace(device::waiting::asleep);  // its core is for threads that serve the GPU
    }

    void run(const requests& list, std::span<double> seconds) override {
        const requests cut = cut_up(list);
        const std::size_t several = list.block / cut.block;  // commands of a block
        serve(cut);
        // what is sent again leaves its own there
        const std::vector nanoseconds(nanoseconds_.data(),
                                      nanoseconds_.data() + cut.offsets.size());
        const std::vector began(began_.data(),
                                began_.data() + (several > 1 ? cut.offsets.size() : 0));
        const std::vector outcomes(outcomes_.data(), outcomes_.data() + cut.offsets.size());
        for (std::size_t i = 0; i < list.offsets.size(); ++i) {
            const std::size_t first = i * several;
            const std::int64_t time =
                several > 1 ? spent(began, nanoseconds, first, several) : nanoseconds[i];
            seconds[i] = static_cast<double>(time) * 1e-9;
            for (std::size_t c = first; c < first + several; ++c)
                if (!outcomes[c].ok()) seconds[i] += again(cut.only(c, 1), outcomes[c]);
        }
        if (sent_again_ > 0) describe();
    }

    void flush() override {
        request_kernels_on(what_.who).flush(described({}), stream());
        if (stream_) device::synchronize(stream());
        if (const status outcome = *outcomes_.data(); !outcome.ok())
            throw error("flush: " + text(outcome));
    }

    std::optional<double> gpu_seconds() const override {
        return kernels_ ? std::optional(kernels_->seconds()) : std::nullopt;
    }

private:
    /// Threads of a warp that have a command: of long blocks so few that it copies about as long as
    /// it waits; more warps than that take room from kernels that compute. On a disk one, while not
    /// too many are under way: a slow one would hold up the others of its warp.
    static std::size_t lanes(const duty& what) {
        constexpr std::size_t few = 256, copied_at_once = 1 << 16;
        if (what.on_disk && what.depth <= few) return 1;
        const std::size_t most = what.block < prp_page ? 32 : 8;
        return std::clamp<std::size_t>(copied_at_once / what.block, 1, std::min(most, what.depth));
    }
    /// Commands that make up a block.
    std::size_t commands_of(std::size_t block) const {
        return std::max<std::size_t>(1, block / what_.view->max_transfer);
    }
    std::size_t under_way() const { return what_.depth * commands_; }

    /// The list as commands.
    requests cut_up(const requests& list) {
        const std::size_t each = list.parts == 1 ? commands_of(list.block) : 1;
        if (each == 1) return list;
        const std::size_t bytes = list.block / each;
        cut_.clear();
        for (const std::uint64_t offset : list.offsets)
            for (std::size_t c = 0; c < each; ++c) cut_.push_back(offset + c * bytes);
        return {cut_, list.memory, bytes};
    }
    /// From the beginning of the first of some commands to the end of the last.
    static std::int64_t spent(std::span<const std::int64_t> began,
                              std::span<const std::int64_t> nanoseconds, std::size_t first,
                              std::size_t count) {
        std::int64_t start = began[first], end = start;
        for (std::size_t c = first; c < first + count; ++c) {
            start = std::min(start, began[c]);
            end = std::max(end, began[c] + nanoseconds[c]);
        }
        return end - start;
    }
    /// On a CPU the kernel itself looks there.
    bool needs_began() const { return commands_ > 1 || !what_.who.is_gpu(); }
    /// Of lists: a GPU reads and writes each once, over the link.
    memory::kind kind() const {
        return what_.who.is_gpu() ? memory::kind::pinned : memory::kind::pageable;
    }
    memory::placement placed() const { return {.device = what_.who.number}; }
    stream_t stream() const { return stream_ ? stream_->get() : nullptr; }

    request_list described(const requests& list) const {
        return {.view = *what_.view,
                .offsets = offsets_.data(),
                .count = list.offsets.size(),
                .part = static_cast<std::uint32_t>(list.part_bytes()),
                .parts = static_cast<std::uint32_t>(list.parts),
                .stride = list.stride,
                .write = what_.way == direction::write,
                .memory = list.memory,
                .nanoseconds = nanoseconds_.data(),
                .began = needs_began() ? began_.data() : nullptr,
                .outcomes = outcomes_.data(),
                .places = places_.data(),
                .warps = (under_way() + each_ - 1) / each_,
                .each = each_};
    }

    /// Runs the list and waits.
    void serve(const requests& list) {
        std::copy(list.offsets.begin(), list.offsets.end(), offsets_.data());
        if (stream_) kernels_->start(stream());
        request_kernels_on(what_.who).run(described(list), stream());
        if (stream_) kernels_->stop(stream());
    }

    /// Sends a list of one again until it succeeds; returns the seconds of that.
    double again(const requests& one, status outcome) {
        const double start = now();
        for (int sent = 0; sent < tries && !outcome.ok() && !outcome.dnr; ++sent) {
            first_failure_ = first_failure_.value_or(outcome);
            ++sent_again_;
            serve(one);
            outcome = *outcomes_.data();
        }
        if (!outcome.ok())
            throw error(std::string(what_.way == direction::read ? "read" : "write") + " of " +
                        std::to_string(one.block) + " bytes at " +
                        std::to_string(one.offsets.front()) + ": " + text(outcome));
        return now() - start;
    }

    void describe() {
        clear_notes();
        note(std::to_string(sent_again_) + (sent_again_ == 1 ? " command was" : " commands were") +
             " sent again, the first after: " + text(*first_failure_));
    }

    std::size_t commands_;  ///< of a block, at most
    std::size_t each_;      ///< commands of a warp under way
    std::vector<std::uint64_t> cut_;
    memory::buffer<std::uint64_t> offsets_;
    memory::buffer<std::int64_t> nanoseconds_, began_;
    memory::buffer<status> outcomes_;
    memory::buffer<request_place> places_;
    std::optional<device::stream> stream_;
    std::optional<gpu_stopwatch> kernels_;
    std::size_t sent_again_ = 0;
    std::optional<status> first_failure_;
};

}  // namespace

std::string queue_unsupported(const duty& what) {
    return what.who.is_gpu() ? "threads of the CPU use engine queue; engine=gpu" : "";
}

std::string gpu_unsupported(const duty& what) {
    return what.who.is_gpu() ? "" : "engine gpu is a GPU's threads; processor=gpu, or engine=queue";
}

std::unique_ptr<engine> make_queue(const duty& what) {
    return std::make_unique<queue_engine>(what);
}

}  // namespace watari::storage
