#include "watari/storage/stores/engine_team.hpp"

#include "watari/measure/thread_team.hpp"

#include <optional>
#include <utility>

namespace watari::storage {

engine_team::engine_team(monitor& shared, std::size_t threads, const engine_use& how,
                         std::vector<store_use> uses, work does)
    : shared_(shared), wanted_(threads), how_(how), uses_(std::move(uses)), does_(std::move(does)) {
    measure::unbind();
    threads_.reserve(threads);
    try {
        for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this, i] { serve(i); });
    } catch (...) {
        shared_.fail(std::current_exception());
        join();
        throw;
    }
}

void engine_team::join() {
    {
        const std::lock_guard lock(shared_.mutex);
        over_ = true;
        shared_.changed.notify_all();
    }
    for (std::thread& each : threads_) each.join();
}

void engine_team::serve(std::size_t i) {
    std::optional<store_engines> by;
    shared_.guarded([&] {
        engine_use own = how_;
        const std::size_t share = how_.landing.size() / wanted_;
        own.landing = how_.landing.subspan(i * share, share);
        by.emplace(own, uses_);
        {
            const std::lock_guard lock(shared_.mutex);
            ++ready_;
            shared_.changed.notify_all();
        }
        does_(*by, i);
    });
    std::unique_lock lock(shared_.mutex);
    if (by) by->add_notes(shared_.notes);
    ++ended_;
    shared_.changed.notify_all();
    shared_.changed.wait(lock, [&] { return over_; });
}

}  // namespace watari::storage
