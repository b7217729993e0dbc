/// A team of threads, each with its own engines, that move blocks while their user computes. Some
/// teams read a known list ahead of the user (ordered_reads.hpp), others write its results.
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

/// State shared by threads that wait for one another: a lock, a condition variable for any change,
/// the first error, which ends every wait, and the notes of their engines.
struct monitor {
    std::mutex mutex;
    std::condition_variable changed;
    std::exception_ptr error;  ///< the first one
    bool stopped = false;      ///< no read begins any more
    storage::notes notes{};    ///< notes of engines whose work has ended

    /// Thrown in a thread whose wait was ended by an error or a stop; ends its work.
    struct halted {};

    /// Waits until the condition holds. Throws halted once a thread has failed.
    template <class Condition>
    void wait(std::unique_lock<std::mutex>& lock, const Condition& condition) {
        changed.wait(lock, [&] { return error || condition(); });
        if (error) throw halted{};
    }
    /// As wait, for a thread that reads: a stop throws halted, too.
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
    /// The work of thread i, called once its engines are made.
    using work = std::function<void(store_engines& by, std::size_t i)>;

    /// An exception in a thread becomes the monitor's error. `work` must end when the monitor stops
    /// or fails. Throws if a thread cannot be made.
    engine_team(monitor& shared, std::size_t threads, const engine_use& how,
                std::vector<store_use> uses, work does);
    engine_team(const engine_team&) = delete;
    engine_team& operator=(const engine_team&) = delete;
    /// Waits for the threads. They destroy their engines only now, since that takes time.
    ~engine_team() { join(); }

    // call these with the monitor's lock held
    bool is_ready() const { return ready_ == wanted_; }   ///< every thread has its engines
    bool has_ended() const { return ended_ == wanted_; }  ///< every thread has ended its work

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
