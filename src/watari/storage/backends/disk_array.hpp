/// Modelled SSDs (ssd.hpp) over which a namespace is striped.
#pragma once

#include "watari/core/error.hpp"
#include "watari/storage/backends/ssd.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace watari::storage {

/// The SSDs behind a namespace: `disks` of one model, a stripe of each in turn.
struct modelled_disks {
    ssd_description model;
    std::size_t disks = 1;
    std::size_t stripe = std::size_t{1} << 20;  ///< bytes
};

/// Several SSDs as one: a request is cut at stripes, and where a disk takes no more at once.
class disk_array {
public:
    /// Throws usage_error.
    explicit disk_array(const modelled_disks& wanted) : disk_array(made(wanted), wanted.stripe) {}
    disk_array(std::vector<std::unique_ptr<ssd>> disks, std::uint64_t stripe)
        : disks_(std::move(disks)), stripe_(stripe) {
        if (disks_.empty() || stripe == 0) throw usage_error("no modelled SSD");
        piece_ = std::min<std::uint64_t>(stripe_, disks_.front()->largest());
    }

    std::int64_t due(opcode operation, std::uint64_t offset, std::size_t bytes, std::int64_t now) {
        std::int64_t last = 0;
        each_piece(offset, bytes, [&](ssd& disk, std::size_t some) {
            last = std::max(last, disk.due(operation, some, now));
        });
        return last;
    }

    void ended(opcode operation, std::uint64_t offset, std::size_t bytes) {
        each_piece(offset, bytes,
                   [&](ssd& disk, std::size_t some) { disk.ended(operation, some); });
    }

    std::string source() const {
        const std::string one = disks_.front()->source();
        return disks_.size() == 1 ? one : std::to_string(disks_.size()) + " of " + one;
    }

private:
    static std::vector<std::unique_ptr<ssd>> made(const modelled_disks& wanted) {
        std::vector<std::unique_ptr<ssd>> all;
        for (std::size_t i = 0; i < wanted.disks; ++i) all.push_back(make_ssd(wanted.model));
        return all;
    }

    /// A request without bytes, a flush, is one piece of each disk.
    template <class Body>
    void each_piece(std::uint64_t offset, std::size_t bytes, const Body& body) {
        if (bytes == 0)
            for (const auto& disk : disks_) body(*disk, 0);
        for (std::uint64_t at = offset; at < offset + bytes;) {
            const std::uint64_t ends = std::min(at / stripe_ * stripe_ + stripe_, offset + bytes);
            const std::size_t some = std::min<std::uint64_t>(ends - at, piece_);
            body(*disks_[at / stripe_ % disks_.size()], some);
            at += some;
        }
    }

    std::vector<std::unique_ptr<ssd>> disks_;
    std::uint64_t stripe_;
    std::size_t piece_;  ///< bytes that a disk takes at once
};

}  // namespace watari::storage
