#include "watari/storage/controller/delivery.hpp"

#include "watari/core/error.hpp"
#include "watari/core/parallel/atomic.hpp"
#include "watari/machine/hardware_queues.hpp"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace watari::storage {

namespace {

constexpr std::size_t most_copies = 64;  ///< in flight; each has its own event

/// Passes reads with a destination to the delivery when their data are in their slots.
class delivery_channel final : public io_channel {
public:
    delivery_channel(std::unique_ptr<io_channel> inner, delivery& by)
        : inner_(std::move(inner)), by_(by) {}

    /// Waits for reads that a failed poller left in delivery; their endings are dropped.
    ~delivery_channel() override {
        for (unsigned attempt = 0; !brought_.empty(); cpu::pause(attempt++)) take_brought();
    }

    bool submit(const request& command) override {
        if (!inner_->submit(command)) return false;
        if (command.destination)
            inside_.insert_or_assign(command_key(command.queue, command.cid),
                                     memory_range{command.destination, command.bytes});
        return true;
    }

    void reap(std::vector<ending>& ended) override {
        from_inner_.clear();
        inner_->reap(from_inner_);
        for (const ending& e : from_inner_) pass_on(e, ended);
        for (const ending& e : take_brought()) ended.push_back(e);
    }

    std::size_t under_way() const override { return inner_->under_way() + brought_.size(); }

private:
    /// Drops the second ending of a read that is being delivered: the read has not ended yet.
    void pass_on(const ending& e, std::vector<ending>& ended) {
        const std::uint32_t key = command_key(e.queue, e.cid);
        if (e.bad_phase) return ended.push_back(e);
        if (brought_.contains(key)) return;
        const auto own = inside_.extract(key);
        if (own.empty() || !e.outcome.ok()) return ended.push_back(e);
        brought_.insert(key);
        by_.bring({e, own.mapped(), &done_});
    }

    std::vector<ending> take_brought() {
        std::vector<ending> all = done_.take();
        for (const ending& e : all) brought_.erase(command_key(e.queue, e.cid));
        return all;
    }

    std::unique_ptr<io_channel> inner_;
    delivery& by_;
    std::map<std::uint32_t, memory_range> inside_;  ///< destinations of reads that have not ended
    std::set<std::uint32_t> brought_;               ///< reads that are being delivered
    std::vector<ending> from_inner_;
    delivery::completed_queue done_;
};

}  // namespace

void delivery::completed_queue::put(const ending& one) {
    const std::lock_guard lock(mutex_);
    all_.push_back(one);
    any_.store(true, std::memory_order_relaxed);
}

std::vector<ending> delivery::completed_queue::take() {
    if (!any_.load(std::memory_order_relaxed)) return {};
    const std::lock_guard lock(mutex_);
    any_.store(false, std::memory_order_relaxed);
    return std::exchange(all_, {});
}

delivery::delivery(const namespace_view& view, processor users) : view_(view), users_(users) {
    if (users.is_gpu()) {
        if (!machine::copies_pass_kernels())
            throw unsupported(std::string(machine::connections_variable) +
                              " is less than 8: the GPU's copy engine would wait for the kernels "
                              "that wait for its copies; unset it, or read without deliveries");
        device::use(users.number);
        stream_.emplace(device::priority::urgent);
        arrivals_.resize(most_copies);
    }
    thread_ = std::thread([this] { run(); });
}

delivery::~delivery() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void delivery::bring(const delivery_request& one) {
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(one);
    }
    changed_.notify_one();
}

std::unique_ptr<io_channel> delivery::over(std::unique_ptr<io_channel> inner) {
    return std::make_unique<delivery_channel>(std::move(inner), *this);
}

void delivery::run() {
    if (stream_) {
        device::use(users_.number);
        device::ignore_captures();
    }
    for (unsigned idle = 0;;) {
        std::optional<delivery_request> next;
        {
            std::unique_lock lock(mutex_);
            if (under_way_.empty()) changed_.wait(lock, [&] { return stop_ || !waiting_.empty(); });
            if (under_way_.empty() && waiting_.empty()) return;
            if (under_way_.size() < most_copies && !waiting_.empty()) {
                next = waiting_.front();
                waiting_.pop_front();
            }
        }
        if (next) begin(*next);
        const bool ended = end_arrived();
        idle = next || ended ? 0 : idle + 1;
        if (idle > 0) cpu::pause(idle);
    }
}

void delivery::begin(const delivery_request& one) {
    const token command{.queue = one.completed.queue, .cid = one.completed.cid};
    delivery_state& state = view_.deliveries[slot_number(view_, command)];
    const std::uint32_t own = one.completed.cid + 1u;
    cpu::everywhere::store_seq_cst(state.copying, own);
    if (cpu::everywhere::load_seq_cst(state.wanted) != own) return end(one, abort_requested);
    const std::byte* from = slot_of(view_, command);
    if (!stream_) {
        std::memcpy(one.to.data, from, one.to.bytes);
        return end(one, one.completed.outcome);
    }
    const std::size_t arrival = begun_++ % most_copies;
    try {
        device::copy(one.to.data, from, one.to.bytes, stream_->get());
        arrivals_[arrival].record(stream_->get());
        under_way_.push_back({one, arrival});
    } catch (const std::exception&) {
        end_failed(one);
    }
}

/// Ends the copies that have completed, in order; true if there was one.
bool delivery::end_arrived() {
    bool any = false;
    for (; !under_way_.empty(); under_way_.pop_front(), any = true) {
        const copy_in_flight& first = under_way_.front();
        try {
            if (!arrivals_[first.arrival].happened()) break;
            end(first.request, first.request.completed.outcome);
        } catch (const error&) {
            end_failed(first.request);
        }
    }
    return any;
}

/// Ends a request after a failed CUDA call. A copy that was begun before must not outlive the
/// command.
void delivery::end_failed(const delivery_request& one) const {
    try {
        device::synchronize(stream_->get());
    } catch (const error&) {  // after such an error nothing is copied any more
    }
    end(one, data_transfer_error);
}

void delivery::end(const delivery_request& one, status outcome) const {
    const token command{.queue = one.completed.queue, .cid = one.completed.cid};
    cpu::everywhere::store_seq_cst(view_.deliveries[slot_number(view_, command)].copying, 0u);
    one.sender->put({one.completed.queue, one.completed.cid, outcome});
}

}  // namespace watari::storage
