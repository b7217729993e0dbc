// Engine `uring` for GPU memory, the strong CPU path. Reads fill groups of blocks in pinned memory.
// One copy (for blocks in parts, one for each part) takes each full group over the link while the
// next groups fill. For writes, one copy brings a group, whose blocks are written while the next
// groups arrive.
//
// A group has enough blocks to make a copy worth its call. There are enough groups for `depth`
// blocks, and a few more that are being copied. Data pass through all of that memory: if it does
// not stay in the CPU's cache, the CPU's main memory limits the rate.
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/storage/engines/registered.hpp"
#include "watari/storage/engines/rows.hpp"

#include <algorithm>
#include <vector>

namespace watari::storage {

namespace {

constexpr std::size_t copy_bytes = std::size_t{1} << 16;  ///< bytes of one copy, at least: a call
                                                          ///< takes some 4 us
constexpr std::size_t on_the_way = 3;                     ///< groups, besides those that fill

/// Bytes of a group, 10 or 40 us of a link. For a store in memory the link limits the rate, and it
/// idles for 4 us between two copies. A disk reads more slowly the more memory it is read into.
constexpr std::size_t group_bytes(const engine_options& options) {
    return std::size_t{1} << (options.on_disk ? 19 : 21);
}

/// Pinned memory for groups of `depth` blocks each, the largest size of a group.
memory::buffer<std::byte> pinned_memory(const engine_options& options) {
    device::use(options.who.number);
    return {memory::kind::pinned,
            (1 + on_the_way) * options.depth * options.block,
            // registered, not from cudaMallocHost: io_uring needs anonymous memory
            {.device = options.who.number, .thp = memory::huge_pages::always}};
}

class uring_gpu_engine final : public engine {
public:
    explicit uring_gpu_engine(const engine_options& options)
        : engine(options),
          pinned_(pinned_memory(options)),
          ring_(options, pinned_.data(), pinned_.size()),
          slots_(options.depth + on_the_way) {
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
        retired_ = 0;
        each_ = std::clamp<std::size_t>(
            std::max(group_bytes(options_) / list.block, copy_bytes / list.part_bytes()), 1,
            options_.depth);
        groups_ = std::min((options_.depth + each_ - 1) / each_ + on_the_way,
                           (1 + on_the_way) * options_.depth / each_);
        for (std::size_t group = 0; group < groups_; ++group)
            slots_[group].missing = group_size(group);
        options_.direction == files::direction::read ? read() : write();
    }

    std::optional<double> gpu_seconds() const override { return gpu_seconds_; }

private:
    void read() {
        const std::span offsets = list_.offsets;
        for (std::size_t next = 0; retired_ * each_ < offsets.size();) {
            const double moment = now();
            for (; next < offsets.size() && ring_.in_flight() < options_.depth && has_slot(next);
                 ++next) {
                seconds_[next] = moment;
                if (!ring_.push(offsets[next], staged(next), list_.block, next)) break;
            }
            if (ring_.in_flight() > 0) {
                for (const files::uring_completion& each : ring_.wait()) {
                    ring_.check(each, offsets[each.tag], list_.block);
                    if (--slot_for(each.tag / each_).missing == 0) copy(each.tag / each_);
                }
            } else {
                slot_for(retired_).copied.wait();
            }
            retire();
        }
    }

    void write() {
        const std::span offsets = list_.offsets;
        std::size_t next = 0, copies = 0;  // next block to write; groups whose copy has begun
        while (retired_ * each_ < offsets.size()) {
            for (; copies * each_ < offsets.size() && copies < retired_ + groups_; ++copies) {
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
                --slot_for(each.tag / each_).missing;
            }
            for (; retired_ < copies && slot_for(retired_).missing == 0; ++retired_) {
                staging_slot& own = slot_for(retired_);
                own.missing = group_size(retired_ + groups_);
                gpu_seconds_ += device::event::seconds(own.begun, own.copied);
            }
        }
    }

    /// A slot in which a group is filled and copied: pinned memory of `each_` blocks.
    struct staging_slot {
        device::event begun, copied;
        std::size_t missing = 0;  ///< requests of the group that have not completed
        bool copying = false;
    };

    staging_slot& slot_for(std::size_t group) { return slots_[group % groups_]; }

    std::size_t group_size(std::size_t group) const {
        const std::size_t first = std::min(group * each_, list_.offsets.size());
        return std::min(each_, list_.offsets.size() - first);
    }

    /// Whether the group of this request may fill its slot: the slot's previous group is on the
    /// GPU.
    bool has_slot(std::size_t request) const { return request / each_ < retired_ + groups_; }

    std::byte* staged(std::size_t request) const {
        return pinned_.data() + request % (groups_ * each_) * list_.block;
    }

    void copy(std::size_t group) {
        staging_slot& own = slot_for(group);
        own.begun.record(stream_.get());
        for (std::size_t part = 0; part < list_.parts; ++part)
            copy_part(group * each_, group_size(group), part);
        own.copied.record(stream_.get());
        own.copying = true;
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

    /// Frees the slots of groups that have arrived, in order. Groups fill in any order.
    void retire() {
        for (; slot_for(retired_).copying && slot_for(retired_).copied.happened(); ++retired_) {
            staging_slot& own = slot_for(retired_);
            const double moment = now();
            for (std::size_t i = 0; i < group_size(retired_); ++i) {
                const std::size_t request = retired_ * each_ + i;
                seconds_[request] = moment - seconds_[request];
            }
            own.missing = group_size(retired_ + groups_);
            own.copying = false;
            gpu_seconds_ += device::event::seconds(own.begun, own.copied);
        }
    }

    memory::buffer<std::byte> pinned_;
    registered_ring ring_;
    device::stream stream_;
    std::vector<staging_slot> slots_;
    requests list_{};
    std::size_t each_ = 1, groups_ = 1;  ///< of this list: blocks of a group, and groups
    std::size_t retired_ = 0;            ///< groups that have arrived, without a gap
    double gpu_seconds_ = 0;             ///< of copies
};

}  // namespace

std::unique_ptr<engine> make_uring_gpu(const engine_options& options) {
    return std::make_unique<uring_gpu_engine>(options);
}

}  // namespace watari::storage
