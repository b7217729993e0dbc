/// A device that acknowledges writes before they are durable, and loses them when its power is cut.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>

#include "watari/files/aligned.hpp"
#include "watari/storage/backends/backend.hpp"

namespace watari::storage {

/// Writes without FUA go to memory first, and from there unit by unit, in any order, to the inner
/// backend: single units at random times, all units at a flush. Every unit that goes to the cache
/// or to the inner backend is a step. The power is cut before step `cut_before`, and nothing is
/// answered after that. Units are atomic; a command of several units is not.
class volatile_cache final : public backend {
public:
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    volatile_cache(std::shared_ptr<backend> inner, std::uint32_t unit, std::uint64_t seed,
                   std::uint64_t cut_before = never);

    std::uint64_t bytes() const override { return inner_->bytes(); }
    std::uint32_t alignment() const override { return inner_->alignment(); }
    std::unique_ptr<io_channel> open_channel(const user_memory& memory) override;
    std::string notice() const override { return inner_->notice(); }
    const error_log* errors() const override { return inner_->errors(); }

    bool is_cut() const;
    std::uint64_t steps() const;

private:
    friend class cached_channel;

    const std::shared_ptr<backend> inner_;
    const std::uint32_t unit_;
    const std::uint64_t cut_before_;
    mutable std::mutex mutex_;  ///< guards the members below
    std::mt19937_64 random_;
    std::uint64_t steps_ = 0;
    std::map<std::uint64_t, files::aligned_bytes> units_;  ///< by offset
};

}  // namespace watari::storage
