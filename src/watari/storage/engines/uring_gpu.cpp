// Engine `uring` for GPU memory, the strong CPU path: reads fill groups of `depth` blocks in pinned
// memory, and one copy (of blocks in parts, one of each part) takes each full group over the link
// while the next ones fill; for writes one copy brings a group, whose blocks are written while the
// next ones come.
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/storage/engines/registered.hpp"
#include "watari/storage/engines/rows.hpp"

#include <algorithm>
#include <array>

namespace watari::storage {

namespace {

constexpr std::size_t lanes = 4;  ///< groups that are filling or being copied

memory::buffer<std::byte> pinned_lanes(const duty& what) {
    device::use(what.who.number);
    return {memory::kind::pinned,
            lanes * what.depth * what.block,
            // registered, not cudaMallocHost's: io_uring takes anonymous memory alone
            {.device = what.who.number, .thp = memory::huge_pages::always}};
}

class uring_gpu_engine final : public engine {
public:
    explicit uring_gpu_engine(const duty& what)
        : engine(what), pinned_(pinned_lanes(what)), ring_(what, pinned_.data(), pinned_.size()) {
        if (!ring_.why_not_buffers().empty()) note(ring_.why_not_buffers());
    }

    /// A request that failed leaves copies under way, out of memory that is given back now.
    ~uring_gpu_engine() override {
        try {
            device::synchronize(stream_.get());
        } catch (const error&) {
        }
    }

    void run(const requests& list) override {
        device::use(what_.who.number);
        list_ = list;
        seconds_.resize(list.offsets.size());
        retired_ = 0;
        for (std::size_t group = 0; group < lanes; ++group) missing_[group] = group_size(group);
        what_.way == direction::read ? read() : write();
    }

    std::optional<double> gpu_seconds() const override { return gpu_seconds_; }

private:
    void read() {
        const std::span offsets = list_.offsets;
        for (std::size_t next = 0; retired_ * what_.depth < offsets.size();) {
            const double moment = now();
            for (; next < offsets.size() && ring_.in_flight() < what_.depth && has_lane(next);
                 ++next) {
                seconds_[next] = moment;
                if (!ring_.push(offsets[next], staged(next), list_.block, next)) break;
            }
            if (ring_.in_flight() > 0) {
                for (const uring_completion& each : ring_.wait()) {
                    ring_.check(each, offsets[each.tag], list_.block);
                    if (--missing_[each.tag / what_.depth % lanes] == 0)
                        copy(each.tag / what_.depth);
                }
            } else {
                copied_[retired_ % lanes].wait();
            }
            retire();
        }
    }

    void write() {
        const std::span offsets = list_.offsets;
        std::size_t next = 0, copies = 0;  // to write; groups on their way to pinned memory
        while (retired_ * what_.depth < offsets.size()) {
            for (; copies * what_.depth < offsets.size() && copies < retired_ + lanes; ++copies) {
                std::fill_n(seconds_.begin() + static_cast<std::ptrdiff_t>(copies * what_.depth),
                            group_size(copies), now());
                copy(copies);
            }
            for (; next < std::min(copies * what_.depth, offsets.size()); ++next) {
                const device::event& here = copied_[next / what_.depth % lanes];
                if (ring_.in_flight() == 0)
                    here.wait();
                else if (ring_.in_flight() == what_.depth || !here.happened())
                    break;
                if (!ring_.push(offsets[next], staged(next), list_.block, next)) break;
            }
            for (const uring_completion& each : ring_.wait()) {
                ring_.check(each, offsets[each.tag], list_.block);
                seconds_[each.tag] = now() - seconds_[each.tag];
                --missing_[each.tag / what_.depth % lanes];
            }
            for (std::size_t lane;
                 lane = retired_ % lanes, retired_ < copies && missing_[lane] == 0; ++retired_) {
                missing_[lane] = group_size(retired_ + lanes);
                gpu_seconds_ += device::event::seconds(begun_[lane], copied_[lane]);
            }
        }
    }

    std::size_t group_size(std::size_t group) const {
        const std::size_t first = std::min(group * what_.depth, list_.offsets.size());
        return std::min(what_.depth, list_.offsets.size() - first);
    }

    /// Whether the group of this request may fill: the one that had its lane is on the GPU.
    bool has_lane(std::size_t request) const { return request / what_.depth < retired_ + lanes; }

    std::byte* staged(std::size_t request) const {
        return pinned_.data() + request % (lanes * what_.depth) * list_.block;
    }

    void copy(std::size_t group) {
        begun_[group % lanes].record(stream_.get());
        for (std::size_t part = 0; part < list_.parts; ++part)
            copy_part(group * what_.depth, group_size(group), part);
        copied_[group % lanes].record(stream_.get());
        copying_[group % lanes] = true;
    }

    /// Of blocks that lie one behind the other in pinned memory, and each of their parts in the
    /// GPU's.
    void copy_part(std::size_t first, std::size_t count, std::size_t part) {
        const std::size_t bytes = list_.part_bytes();
        std::byte* const place = list_.place(first, part);
        std::byte* const side = staged(first) + part * bytes;
        if (list_.parts == 1)
            device::copy(what_.way == direction::read ? place : side,
                         what_.way == direction::read ? side : place, count * bytes, stream_.get());
        else if (what_.way == direction::read)
            device::copy_rows(place, bytes, side, list_.block, bytes, count, stream_.get());
        else
            device::copy_rows(side, list_.block, place, bytes, bytes, count, stream_.get());
    }

    /// Frees the lanes of groups that have arrived, in order. Groups fill in any order.
    void retire() {
        for (std::size_t lane; lane = retired_ % lanes, copying_[lane] && copied_[lane].happened();
             ++retired_) {
            const double moment = now();
            for (std::size_t i = 0; i < group_size(retired_); ++i) {
                const std::size_t request = retired_ * what_.depth + i;
                seconds_[request] = moment - seconds_[request];
            }
            missing_[lane] = group_size(retired_ + lanes);
            copying_[lane] = false;
            gpu_seconds_ += device::event::seconds(begun_[lane], copied_[lane]);
        }
    }

    memory::buffer<std::byte> pinned_;
    registered_ring ring_;
    device::stream stream_;
    std::array<device::event, lanes> begun_, copied_;
    std::array<std::size_t, lanes> missing_{};  ///< reads of the group that fills each lane
    std::array<bool, lanes> copying_{};
    requests list_{};
    std::size_t retired_ = 0;  ///< groups that have arrived, all of them from the first on
    double gpu_seconds_ = 0;   ///< of copies
};

}  // namespace

std::unique_ptr<engine> make_uring_gpu(const duty& what) {
    return std::make_unique<uring_gpu_engine>(what);
}

}  // namespace watari::storage
