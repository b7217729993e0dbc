// Engine `uring` for GPU memory, the strong CPU path. Reads fill groups of blocks in pinned memory.
// One copy (for blocks in parts, one for each part) takes each full group over the link while the
// next groups fill. For writes, one copy brings a group, whose blocks are written while the next
// groups arrive.
//
// A group has enough blocks to make a copy worth its call. It takes the slot that was freed last:
// a request that takes long holds up its own group, until all slots wait, and data pass through no
// more memory than that needs. If that memory does not stay in the CPU's cache, the CPU's main
// memory limits the rate.
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/storage/engines/registered.hpp"
#include "watari/storage/engines/rows.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <vector>

namespace watari::storage {

namespace {

constexpr std::size_t copy_bytes = std::size_t{1} << 16;  ///< bytes of one copy, at least: a call
                                                          ///< takes some 4 us
constexpr std::size_t ahead = 4;  ///< slots hold this many times `depth` blocks: in flight, or in
                                  ///< groups that wait for their last or are being copied
constexpr std::size_t on_the_way = 3;  ///< groups of writes that are copied ahead of the requests

/// Bytes of a group, 2 or 40 us of a link. For a store in memory the link limits the rate, and it
/// idles for 4 us between two copies. A disk ends requests in any order, and the more blocks a
/// group has the longer it waits for its last.
constexpr std::size_t group_bytes(const engine_options& options) {
    return std::size_t{1} << (options.on_disk ? 17 : 21);
}

memory::buffer<std::byte> pinned_memory(const engine_options& options) {
    device::use(options.who.number);
    return {memory::kind::pinned,
            ahead * options.depth * options.block,
            // registered, not from cudaMallocHost: io_uring needs anonymous memory
            {.device = options.who.number, .thp = memory::huge_pages::always}};
}

class uring_gpu_engine final : public engine {
public:
    explicit uring_gpu_engine(const engine_options& options)
        : engine(options),
          pinned_(pinned_memory(options)),
          ring_(options, pinned_.data(), pinned_.size()),
          slots_(ahead * options.depth) {
        if (!ring_.why_not_buffers().empty()) note(ring_.why_not_buffers());
    }

    /// Waits for copies that a failed request left in flight: their pinned memory is freed now.
    ~uring_gpu_engine() override {
        try {
            device::synchronize(stream_.get());
        } catch (const error&) {
        }
    }

    void run(const requests& list) override {
        device::use(options_.who.number);
        list_ = list;
        seconds_.resize(list.offsets.size());
        each_ = std::clamp<std::size_t>(
            std::max(group_bytes(options_) / list.block, copy_bytes / list.part_bytes()), 1,
            options_.depth);
        free_.resize(ahead * options_.depth / each_);
        std::iota(free_.rbegin(), free_.rend(), std::size_t{0});
        slot_of_.assign((list.offsets.size() + each_ - 1) / each_, nowhere);
        copying_.clear();
        options_.direction == files::direction::read ? read() : write();
    }

    std::optional<double> gpu_seconds() const override { return gpu_seconds_; }

private:
    void read() {
        const std::span offsets = list_.offsets;
        for (std::size_t next = 0, arrived = 0; arrived < slot_of_.size();) {
            const double moment = now();
            for (; next < offsets.size() && ring_.in_flight() < options_.depth && take_slot(next);
                 ++next) {
                seconds_[next] = moment;
                if (!ring_.push(offsets[next], staged(next), list_.block, next)) break;
            }
            if (ring_.in_flight() > 0) {
                for (const files::uring_completion& each : ring_.wait()) {
                    ring_.check(each, offsets[each.tag], list_.block);
                    if (--slot_for(each.tag / each_).missing > 0) continue;
                    copy(each.tag / each_);
                    copying_.push_back(each.tag / each_);
                }
            } else {
                slot_for(copying_.front()).copied.wait();
            }
            for (; !copying_.empty() && slot_for(copying_.front()).copied.happened(); ++arrived)
                end_group();
        }
    }

    void write() {
        const std::span offsets = list_.offsets;
        // more would only wait in pinned memory
        const std::size_t most = (options_.depth + each_ - 1) / each_ + on_the_way;
        std::size_t next = 0, copies = 0;  // next block to write; groups whose copy has begun
        for (std::size_t written = 0; written < slot_of_.size();) {
            for (; copies < slot_of_.size() && copies < written + most && take_slot(copies * each_);
                 ++copies) {
                std::fill_n(seconds_.begin() + static_cast<std::ptrdiff_t>(copies * each_),
                            group_size(copies), now());
                copy(copies);
            }
            for (; next < std::min(copies * each_, offsets.size()); ++next) {
                const device::event& here = slot_for(next / each_).copied;
                if (ring_.in_flight() == 0)
                    here.wait();
                else if (ring_.in_flight() == options_.depth || !here.happened())
                    break;
                if (!ring_.push(offsets[next], staged(next), list_.block, next)) break;
            }
            for (const files::uring_completion& each : ring_.wait()) {
                ring_.check(each, offsets[each.tag], list_.block);
                seconds_[each.tag] = now() - seconds_[each.tag];
                if (--slot_for(each.tag / each_).missing > 0) continue;
                release(each.tag / each_);
                ++written;
            }
        }
    }

    /// A slot in which a group is filled and copied: pinned memory of `each_` blocks.
    struct staging_slot {
        device::event begun, copied;
        std::size_t missing = 0;  ///< requests of the group that have not completed
    };

    staging_slot& slot_for(std::size_t group) { return slots_[slot_of_[group]]; }

    std::size_t group_size(std::size_t group) const {
        return std::min(each_, list_.offsets.size() - group * each_);
    }

    /// Gives the group of this request a slot, unless it has one. False if none is free.
    bool take_slot(std::size_t request) {
        const std::size_t group = request / each_;
        if (slot_of_[group] != nowhere) return true;
        if (free_.empty()) return false;
        slot_of_[group] = free_.back();
        free_.pop_back();
        slot_for(group).missing = group_size(group);
        return true;
    }
    void release(std::size_t group) {
        gpu_seconds_ += device::event::seconds(slot_for(group).begun, slot_for(group).copied);
        free_.push_back(slot_of_[group]);
    }

    std::byte* staged(std::size_t request) const {
        return pinned_.data() + (slot_of_[request / each_] * each_ + request % each_) * list_.block;
    }

    void copy(std::size_t group) {
        staging_slot& own = slot_for(group);
        own.begun.record(stream_.get());
        for (std::size_t part = 0; part < list_.parts; ++part)
            copy_part(group * each_, group_size(group), part);
        own.copied.record(stream_.get());
    }

    /// Copies one part of `count` blocks. Whole blocks are consecutive in pinned memory; the same
    /// part of all blocks is consecutive in GPU memory.
    void copy_part(std::size_t first, std::size_t count, std::size_t part) {
        const std::size_t bytes = list_.part_bytes();
        std::byte* const location = list_.location(first, part);
        std::byte* const side = staged(first) + part * list_.part_step();
        if (list_.parts == 1)
            device::copy(options_.direction == files::direction::read ? location : side,
                         options_.direction == files::direction::read ? side : location,
                         count * bytes, stream_.get());
        else if (options_.direction == files::direction::read)
            device::copy_rows(location, bytes, side, list_.block, bytes, count, stream_.get());
        else
            device::copy_rows(side, list_.block, location, bytes, bytes, count, stream_.get());
    }

    /// Ends the reads of the group that was copied first, which is on the GPU.
    void end_group() {
        const std::size_t group = copying_.front(), first = group * each_;
        copying_.pop_front();
        const double moment = now();
        for (std::size_t i = first; i < first + group_size(group); ++i)
            seconds_[i] = moment - seconds_[i];
        release(group);
    }

    static constexpr std::size_t nowhere = ~std::size_t{0};

    memory::buffer<std::byte> pinned_;
    registered_ring ring_;
    device::stream stream_;
    std::vector<staging_slot> slots_;
    requests list_{};
    std::size_t each_ = 1;              ///< blocks of a group of this list
    std::vector<std::size_t> slot_of_;  ///< of each group, from its first request on
    std::vector<std::size_t> free_;     ///< slots; the last is taken first
    std::deque<std::size_t> copying_;   ///< groups of reads, in the order of the stream
    double gpu_seconds_ = 0;            ///< of copies
};

}  // namespace

std::unique_ptr<engine> make_uring_gpu(const engine_options& options) {
    return std::make_unique<uring_gpu_engine>(options);
}

}  // namespace watari::storage
