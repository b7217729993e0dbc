/// Threads, each with engines of its own, that move blocks beside their user: those that read a
/// known list ahead of it (ordered_reads.hpp), and those that write what it has done.
#pragma once

#include "watari/storage/stores/store_engines.hpp"

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace watari::storage {

/// What threads that wait for one another share: a lock, news of any change, the first error, which
/// ends every wait, and what their engines have to say.
struct monitor {
    std::mutex mutex;
    std::condition_variable changed;
    std::exception_ptr error;  ///< the first
    bool stopped = false;      ///< nothing more is read
    storage::notes notes{};    ///< of engines whose work has ended

    /// Ends the work of a thread whose wait an error or a stop has ended.
    struct halted {};

    /// Until then. Throws halted once a thread has failed.
    template <class Condition>
    void wait(std::unique_lock<std::mutex>& lock, const Condition& condition) {
        changed.wait(lock, [&] { return error || condition(); });
        if (error) throw halted{};
    }
    /// The same of a thread that reads, which a stop ends, too.
    template <class Condition>
    void wait_to_read(std::unique_lock<std::mutex>& lock, const Condition& condition) {
        wait(lock, [&] { return stopped || condition(); });
        if (stopped) throw halted{};
    }

    void stop() {
        const std::lock_guard lock(mutex);
        stopped = true;
        changed.notify_all();
    }

    void fail(std::exception_ptr thrown) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::move(thrown);
        changed.notify_all();
    }

    template <class Work>
    void guarded(const Work& work) {
        try {
            work();
        } catch (const halted&) {
        } catch (...) {
            fail(std::current_exception());
        }
    }
};

class engine_team {
public:
    /// What thread i does, once it has its engines.
    using work = std::function<void(store_engines& by, std::size_t i)>;

    /// What a thread throws becomes the monitor's error. `work` ends when the monitor stops or
    /// fails. Throws where threads cannot be made.
    engine_team(monitor& shared, std::size_t threads, const engine_use& how,
                std::vector<store_use> uses, work does);
    engine_team(const engine_team&) = delete;
    engine_team& operator=(const engine_team&) = delete;
    /// Waits for the threads, which give their engines back now and not before: that takes time.
    ~engine_team() { join(); }

    // under the monitor's lock
    bool is_ready() const { return ready_ == wanted_; }   ///< all have their engines
    bool has_ended() const { return ended_ == wanted_; }  ///< nobody works any more

private:
    void serve(std::size_t i);
    void join();

    monitor& shared_;
    std::size_t wanted_;
    engine_use how_;
    std::vector<store_use> uses_;
    work does_;
    std::size_t ready_ = 0, ended_ = 0;
    bool over_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace watari::storage
