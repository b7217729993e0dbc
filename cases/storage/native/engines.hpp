/// The engines of a sample: one for each thread, or one for all threads of a GPU.
#pragma once

#include "blocks.hpp"
#include "source.hpp"
#include "watari/measure/histogram.hpp"
#include "watari/measure/thread_team.hpp"
#include "watari/storage/engines/engine.hpp"
#include "watari/storage/engines/notes.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace watari::cases {

/// The engines of all threads, each made and run by its own thread; no more threads than requests.
/// All threads of a GPU that submit commands are one engine.
class engines {
public:
    engines(const storage_parameters& p, const storage::engine_row& row, files::direction direction,
            const storage_source& source, const blocks_in_memory& blocks)
        : team_(row.queued && p.processor.is_gpu()
                    ? 1
                    : std::min(static_cast<std::size_t>(p.threads), p.requests)),
          made_(team_.size()),
          blocks_(&blocks) {
        const std::size_t controller_threads = row.queued && p.processor.is_gpu() ? p.threads : 1;
        team_.run([&](std::size_t i) {
            const auto [first, count] = share(i);
            storage::engine_options options;
            options.direction = direction;
            options.pattern = p.pattern;
            options.block = p.block;
            options.depth = row.deep ? p.depth * controller_threads : 1;
            options.requests = count;
            options.memory = blocks.data() + first * p.block;
            options.bytes = count * p.block;
            made_[i] = source.store().open(options, row);
        });
    }
    ~engines() {
        team_.run([&](std::size_t i) { made_[i].reset(); });
    }
    engines(const engines&) = delete;
    engines& operator=(const engines&) = delete;

    /// Moves all blocks, each at its moment if there are some; returns the seconds.
    double run(std::span<const double> moments = {}) {
        return team_.run([&](std::size_t i) {
            const auto [first, count] = share(i);
            storage::requests list{std::span(blocks_->offsets()).subspan(first, count),
                                   blocks_->data() + first * blocks_->block(), blocks_->block()};
            if (!moments.empty()) list.times = moments.subspan(first, count);
            made_[i]->run(list);
        });
    }

    /// The blocks of each engine.
    std::vector<std::size_t> shares() const {
        std::vector<std::size_t> all;
        for (std::size_t i = 0; i < made_.size(); ++i) all.push_back(share(i).second);
        return all;
    }

    void flush() {
        team_.run([&](std::size_t i) {
            if (i == 0) made_[i]->flush();
        });
    }

    void let_go() {
        team_.run([&](std::size_t i) { made_[i]->let_go(); });
    }

    /// Seconds of a GPU in all runs; none unless every engine measures them.
    std::optional<double> gpu_seconds() const {
        double all = 0;
        for (const auto& each : made_) {
            const std::optional<double> seconds = each->gpu_seconds();
            if (!seconds) return std::nullopt;
            all += *seconds;
        }
        return all;
    }

    /// Records the seconds of each request of the last run.
    void record(measure::histogram& latency) const {
        for (const auto& each : made_)
            for (const double seconds : each->seconds()) latency.record(seconds);
    }

    /// Calls visit(offset, seconds) for each request of the last run.
    template <class Visit>
    void each_request(const Visit& visit) const {
        for (std::size_t i = 0; i < made_.size(); ++i) {
            const std::size_t first = share(i).first;
            const std::span<const double> seconds = made_[i]->seconds();
            for (std::size_t r = 0; r < seconds.size(); ++r)
                visit(blocks_->offsets()[first + r], seconds[r]);
        }
    }

    std::vector<std::string> notes() const {
        storage::notes all;
        for (const auto& each : made_) all.add(*each);
        return all.texts();
    }

private:
    std::pair<std::size_t, std::size_t> share(std::size_t thread) const {
        const std::size_t all = blocks_->offsets().size();
        const std::size_t first = all * thread / made_.size();
        return {first, all * (thread + 1) / made_.size() - first};
    }

    measure::thread_team team_;
    std::vector<std::unique_ptr<storage::engine>> made_;
    const blocks_in_memory* blocks_;
};

}  // namespace watari::cases
