#include "watari/storage/backends/faulty.hpp"

#include "watari/core/error.hpp"
#include "watari/core/parallel/atomic.hpp"
#include "watari/files/aligned.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>

namespace watari::storage {

namespace {

enum class fate { none, reordered, delayed, duplicated, dropped, failed, late_data, bad_phase };

struct chance {
    fate drawn;
    double fault_plan::*of;
};
constexpr chance chances[] = {
    {fate::reordered, &fault_plan::reordered},   {fate::delayed, &fault_plan::delayed},
    {fate::duplicated, &fault_plan::duplicated}, {fate::dropped, &fault_plan::dropped},
    {fate::failed, &fault_plan::failed},         {fate::late_data, &fault_plan::late_data},
    {fate::bad_phase, &fault_plan::bad_phase},
};

struct named_fault {
    std::string_view name;
    double fault_plan::*chance;
    double value;
};

/// Few commands are dropped, since each costs its identifier until the list has ended.
constexpr named_fault named_faults[] = {
    {"reordered", &fault_plan::reordered, 1e-2},   {"delayed", &fault_plan::delayed, 1e-2},
    {"duplicated", &fault_plan::duplicated, 1e-2}, {"dropped", &fault_plan::dropped, 1e-4},
    {"failed", &fault_plan::failed, 1e-2},         {"late-data", &fault_plan::late_data, 1e-2},
    {"bad-phase", &fault_plan::bad_phase, 1e-2},
};

/// A command at the inner backend. `bounce` has data that must arrive late.
struct spoiled {
    fate drawn = fate::none;
    std::vector<memory_range> ranges;
    files::aligned_bytes bounce;
};

/// A write that is kept from the inner backend until it is due, with its data.
struct held_write {
    std::int64_t due;
    request command;
    files::aligned_bytes data;
};

/// An event at time `due`: the data arrive, then the ending, if `completed` has one.
struct due_event {
    std::int64_t due;
    spoiled command;
    std::optional<ending> completed;
};

status failure(opcode operation) {
    if (operation == opcode::read) return unrecovered_read;
    return operation == opcode::write ? write_fault : internal_error;
}

class faulty_channel final : public io_channel {
public:
    faulty_channel(std::unique_ptr<io_channel> inner, const fault_plan& plan, std::uint64_t number)
        : inner_(std::move(inner)), plan_(plan), random_(plan.seed + number) {}

    bool submit(const request& command) override {
        const fate drawn = pending_fate_ ? *pending_fate_ : draw();
        pending_fate_ = drawn;  // kept for the next try, in case the inner channel refuses now
        if (drawn == fate::failed) {
            now_.push_back({command.queue, command.cid, failure(command.operation)});
        } else if (drawn == fate::delayed && command.operation == opcode::write) {
            hold(command);
        } else {
            spoiled kept{drawn, {command.ranges.begin(), command.ranges.end()}, {}};
            request asked = command;
            memory_range own{};
            if (command.operation == opcode::read &&
                (drawn == fate::delayed || drawn == fate::late_data)) {
                kept.bounce = files::aligned_bytes(command.bytes);
                own = {kept.bounce.data(), command.bytes};
                asked.ranges = {&own, 1};
            }
            if (!inner_->submit(asked)) return false;
            inside_.insert_or_assign(command_key(command.queue, command.cid), std::move(kept));
        }
        pending_fate_.reset();
        return true;
    }

    void reap(std::vector<ending>& ended) override {
        from_inner_.clear();
        const std::int64_t moment = cpu::nanoseconds();
        std::erase_if(held_, [&](held_write& each) { return each.due <= moment && pass_on(each); });
        inner_->reap(from_inner_);
        for (const ending& e : from_inner_) spoil(e);
        const std::int64_t now = cpu::nanoseconds();
        std::erase_if(later_, [&](const due_event& event) {
            if (event.due > now) return false;
            if (event.command.bounce.data())
                scatter(event.command.bounce.data(), event.command.ranges);
            if (event.completed) now_.push_back(*event.completed);
            return true;
        });
        ended.insert(ended.end(), now_.begin(), now_.end());
        now_.clear();
    }

    std::size_t under_way() const override {
        return inner_->under_way() + held_.size() + later_.size() + now_.size();
    }

private:
    fate draw() {
        double dice = std::uniform_real_distribution<>()(random_);
        for (const chance& c : chances)
            if ((dice -= plan_.*c.of) < 0) return c.drawn;
        return fate::none;
    }

    std::int64_t in(double seconds) const {
        return cpu::nanoseconds() + static_cast<std::int64_t>(seconds * 1e9);
    }

    void hold(const request& command) {
        held_.push_back({in(plan_.delay), command, files::aligned_bytes(command.bytes)});
        held_.back().command.ranges = {};
        gather(command.ranges, held_.back().data.data());
    }

    bool pass_on(held_write& late) {
        const memory_range own{late.data.data(), late.command.bytes};
        request asked = late.command;
        asked.ranges = {&own, 1};
        if (!inner_->submit(asked)) return false;
        // the data stay until the write has ended
        inside_.insert_or_assign(command_key(asked.queue, asked.cid),
                                 spoiled{fate::none, {}, std::move(late.data)});
        return true;
    }

    void spoil(const ending& e) {
        auto node = inside_.extract(command_key(e.queue, e.cid));
        if (node.empty()) return now_.push_back(e);  // the inner channel has ended it before
        spoiled command = std::move(node.mapped());
        const fate drawn = command.drawn;
        const double some = std::uniform_real_distribution<>()(random_) * plan_.delay;
        if (drawn == fate::dropped) return;
        if (drawn == fate::none || drawn == fate::duplicated || drawn == fate::late_data)
            now_.push_back(e);
        if (drawn == fate::bad_phase) now_.push_back({e.queue, e.cid, e.outcome, true});
        if (drawn == fate::none) return;
        const bool ends = drawn != fate::late_data;
        later_.push_back({in(drawn == fate::delayed ? plan_.delay : some), std::move(command),
                          ends ? std::optional(e) : std::nullopt});
    }

    std::unique_ptr<io_channel> inner_;
    const fault_plan plan_;
    std::mt19937_64 random_;
    std::optional<fate> pending_fate_;
    std::map<std::uint32_t, spoiled> inside_;
    std::vector<held_write> held_;
    std::vector<due_event> later_;
    std::vector<ending> now_, from_inner_;
};

class faulty final : public backend {
public:
    faulty(std::shared_ptr<backend> inner, const fault_plan& plan)
        : inner_(std::move(inner)), plan_(plan) {}
    std::uint64_t bytes() const override { return inner_->bytes(); }
    std::uint32_t alignment() const override { return inner_->alignment(); }
    bool models_disk() const override { return inner_->models_disk(); }
    const error_log* errors() const override { return inner_->errors(); }
    std::unique_ptr<io_channel> open_channel(const user_memory& memory) override {
        return std::make_unique<faulty_channel>(inner_->open_channel(memory), plan_, channels_++);
    }
    std::string notice() const override {
        const std::string inner = inner_->notice();
        return "faults are injected" + (inner.empty() ? "" : "; " + inner);
    }

private:
    std::shared_ptr<backend> inner_;
    fault_plan plan_;
    std::uint64_t channels_ = 0;
};

}  // namespace

std::shared_ptr<backend> make_faulty(std::shared_ptr<backend> inner, const fault_plan& plan) {
    double sum = 0;
    for (const chance& c : chances) {
        if (plan.*c.of < 0) throw usage_error("a fault's chance is below 0");
        sum += plan.*c.of;
    }
    if (sum > 1) throw usage_error("chances of faults are more than 1 together");
    return std::make_shared<faulty>(std::move(inner), plan);
}

std::shared_ptr<backend> make_faulty(std::shared_ptr<backend> inner, std::string_view fault,
                                     std::uint64_t seed) {
    for (const named_fault& row : named_faults) {
        if (row.name != fault) continue;
        fault_plan plan{.seed = seed};
        plan.*row.chance = row.value;
        return make_faulty(std::move(inner), plan);
    }
    throw usage_error("no fault is called '" + std::string(fault) + "'");
}

}  // namespace watari::storage
