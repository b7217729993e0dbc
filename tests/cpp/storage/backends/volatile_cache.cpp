// One command at a time: made for power cuts, not for speed.
#include "storage/backends/volatile_cache.hpp"

#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace watari::storage {

/// Serves each command while it is submitted.
class cached_channel final : public io_channel {
public:
    cached_channel(volatile_cache& cache, std::unique_ptr<io_channel> inner)
        : cache_(cache), inner_(std::move(inner)) {}

    bool submit(const request& command) override {
        const std::lock_guard lock(cache_.mutex_);
        if (const std::optional<status> outcome = serve(command))
            ended_.push_back({command.queue, command.cid, *outcome});
        return true;
    }

    void reap(std::vector<ending>& ended) override {
        ended.insert(ended.end(), ended_.begin(), ended_.end());
        ended_.clear();
    }

    std::size_t under_way() const override { return ended_.size(); }

private:
    /// Counts a step. Returns false if the power was cut before it.
    bool step() { return cache_.steps_ < cache_.cut_before_ && ++cache_.steps_ > 0; }
    bool is_cut() const { return cache_.steps_ >= cache_.cut_before_; }

    /// Returns nothing if the power was cut.
    std::optional<status> serve(const request& command) {
        if (is_cut()) return std::nullopt;
        const files::aligned_bytes data(command.bytes);
        switch (command.operation) {
            case opcode::flush:
                while (!cache_.units_.empty())
                    if (const auto put = evict(cache_.units_.begin()->first); put != success)
                        return put;
                return inner(opcode::flush, 0, {});
            case opcode::write:
                return write(command, data);
            case opcode::read:
                break;
        }
        const status outcome = inner(opcode::read, command.offset, {data.data(), data.size()});
        for (auto u = cache_.units_.lower_bound(command.offset);
             u != cache_.units_.end() && u->first < command.offset + command.bytes; ++u)
            std::memcpy(data.data() + (u->first - command.offset), u->second.data(), cache_.unit_);
        scatter(data.data(), command.ranges);
        return outcome;
    }

    std::optional<status> write(const request& command, const files::aligned_bytes& data) {
        gather(command.ranges, data.data());
        for (std::size_t at = 0; at < data.size(); at += cache_.unit_) {
            if (!step()) return std::nullopt;
            files::aligned_bytes unit(cache_.unit_);
            std::memcpy(unit.data(), data.data() + at, cache_.unit_);
            cache_.units_.insert_or_assign(command.offset + at, std::move(unit));
            if (!command.fua) continue;
            if (const auto put = evict(command.offset + at); put != success) return put;
        }
        if (!cache_.units_.empty() && cache_.random_() % 4 == 0) {
            auto any = cache_.units_.begin();
            std::advance(any, cache_.random_() % cache_.units_.size());
            if (!evict(any->first)) return std::nullopt;  // a unit that fails stays in the cache
        }
        return success;
    }

    /// Writes a unit to the inner backend. Returns nothing if the power was cut before.
    std::optional<status> evict(std::uint64_t offset) {
        if (!step()) return std::nullopt;
        const auto unit = cache_.units_.find(offset);
        const status put = inner(opcode::write, offset, {unit->second.data(), cache_.unit_});
        if (put.ok()) cache_.units_.erase(unit);
        return put;
    }

    status inner(opcode operation, std::uint64_t offset, std::span<std::byte> data) {
        const memory_range own{data.data(), data.size()};
        const request asked{
            0, 0, operation, false, offset, data.size(), {&own, data.empty() ? 0u : 1u}};
        inner_->submit(asked);
        std::vector<ending> ended;
        while (ended.empty()) inner_->reap(ended);
        return ended.front().outcome;
    }

    volatile_cache& cache_;
    std::unique_ptr<io_channel> inner_;
    std::vector<ending> ended_;
};

volatile_cache::volatile_cache(std::shared_ptr<backend> inner, std::uint32_t unit,
                               std::uint64_t seed, std::uint64_t cut_before)
    : inner_(std::move(inner)), unit_(unit), cut_before_(cut_before), random_(seed) {}

std::unique_ptr<io_channel> volatile_cache::open_channel(const user_memory& memory) {
    return std::make_unique<cached_channel>(*this, inner_->open_channel(memory));
}

bool volatile_cache::is_cut() const {
    const std::lock_guard lock(mutex_);
    return steps_ >= cut_before_;
}

std::uint64_t volatile_cache::steps() const {
    const std::lock_guard lock(mutex_);
    return steps_;
}

}  // namespace watari::storage
