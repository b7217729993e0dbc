#include "watari/storage/stores/ordered_reader.hpp"

#include "watari/core/error.hpp"
#include "watari/measure/thread_team.hpp"

#include <algorithm>
#include <string>

namespace watari::storage {

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t least_unit = 16;  ///< what copies of rows on a GPU take

std::uint64_t down(std::uint64_t bytes, std::size_t unit) { return bytes / unit * unit; }
std::uint64_t up(std::uint64_t bytes, std::size_t unit) { return down(bytes + unit - 1, unit); }

/// Bytes of the units that a range touches.
std::size_t bytes_of(const byte_range& range, std::size_t unit) {
    return up(range.offset + range.bytes, unit) - down(range.offset, unit);
}

std::size_t memory_of(const std::vector<byte_range>& ranges, const reader_options& options,
                      std::size_t unit) {
    std::size_t resident = 0, largest = 0;
    for (std::size_t n = 0; n < ranges.size(); ++n) {
        const std::size_t bytes = up(bytes_of(ranges[n], unit), page);
        if (!options.resident.empty() && options.resident[n])
            resident += bytes;
        else
            largest = std::max(largest, bytes);
    }
    return std::max<std::size_t>(1, resident + (options.ahead + 1) * largest);
}

const reader_options& sensible(const reader_options& options, const std::vector<byte_range>& ranges,
                               std::size_t unit) {
    if (ranges.empty()) throw usage_error("no ranges to read");
    if (!options.resident.empty() && options.resident.size() != ranges.size())
        throw usage_error("resident has " + std::to_string(options.resident.size()) +
                          " entries for " + std::to_string(ranges.size()) + " ranges");
    if (options.readers == 0 || options.ahead == 0 || options.depth == 0)
        throw usage_error("ahead, readers and depth are 1 or more");
    if (options.request == 0 || options.request % unit != 0)
        throw usage_error("requests of " + bytes_text(options.request) +
                          " are not whole units of " + bytes_text(unit));
    return options;
}

}  // namespace

ordered_reader::ordered_reader(const open_store& store, std::vector<byte_range> ranges,
                               const reader_options& options)
    : store_(&store),
      ranges_(std::move(ranges)),
      options_(sensible(options, ranges_, std::max(least_unit, store.unit()))),
      unit_(std::max(least_unit, store.unit())),
      memory_(store.who().is_gpu() ? memory::kind::device : memory::kind::pageable,
              memory_of(ranges_, options_, unit_) + page, {.device = store.who().number}) {
    auto* next =
        reinterpret_cast<std::byte*>(up(reinterpret_cast<std::uintptr_t>(memory_.data()), page));
    std::size_t largest = 0;
    for (std::size_t n = 0; n < ranges_.size(); ++n) {
        const std::size_t bytes = up(bytes_of(ranges_[n], unit_), page);
        const bool stays = !options_.resident.empty() && options_.resident[n];
        before_.push_back(streamed_);
        in_memory_.push_back(stays ? resident_.size() : none);
        if (stays) {
            resident_.push_back({next});
            next += bytes;
        } else {
            ++streamed_;
            largest = std::max(largest, bytes);
        }
    }
    for (std::size_t n = 0; streamed_ > 0 && n <= options_.ahead; ++n, next += largest)
        slots_.push_back({next});
    if (store.who().is_gpu()) {
        device::use(store.who().number);
        used_.resize(slots_.size());
    }
    measure::unbind();
    for (std::size_t n = 0; n < options_.readers; ++n) threads_.emplace_back([this] { serve(); });
}

ordered_reader::~ordered_reader() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
        changed_.notify_all();
    }
    for (std::thread& each : threads_) each.join();
    for (std::size_t n = 0; n < used_.size() && n < released_; ++n) used_[n].wait();
}

std::uint64_t ordered_reader::streamed_before(std::uint64_t reading) const {
    return reading / ranges_.size() * streamed_ + before_[reading % ranges_.size()];
}

ordered_reader::slot& ordered_reader::slot_of(std::uint64_t reading) {
    const std::size_t range = reading % ranges_.size();
    if (is_resident(range)) return resident_[in_memory_[range]];
    return slots_[streamed_before(reading) % slots_.size()];
}

/// The next reading, once there is a place for it. False: there is none any more.
bool ordered_reader::take(std::unique_lock<std::mutex>& lock, std::uint64_t& reading) {
    for (;;) {
        if (stop_ || (streamed_ == 0 && begun_ >= ranges_.size())) return false;
        const bool resident = is_resident(begun_ % ranges_.size());
        if (resident && begun_ >= ranges_.size()) {
            ++begun_;  // it is there since the first round
        } else if (resident || streamed_before(begun_) < released_ + slots_.size()) {
            reading = begun_++;
            return true;
        } else {
            changed_.wait(lock);
        }
    }
}

void ordered_reader::serve() {
    try {
        engine_options options;
        options.block = options_.request;
        options.depth = store_->deep() ? options_.depth : 1;
        options.memory = memory_.data();
        options.bytes = memory_.size();
        for (const byte_range& range : ranges_)
            options.requests =
                std::max(options.requests, bytes_of(range, unit_) / options_.request + 1);
        if (store_->who().is_gpu()) device::use(store_->who().number);
        const std::unique_ptr<engine> by = store_->open(options);
        std::vector<std::uint64_t> list;
        std::unique_lock lock(mutex_);
        for (std::uint64_t reading = 0; take(lock, reading);) {
            const byte_range& range = ranges_[reading % ranges_.size()];
            slot& into = slot_of(reading);
            const std::uint64_t streamed = streamed_before(reading);
            const bool waits = !used_.empty() && !is_resident(reading % ranges_.size()) &&
                               streamed >= slots_.size();
            lock.unlock();
            if (waits) used_[streamed % slots_.size()].wait();
            read(*by, range, into.data, list);
            lock.lock();
            into.ready = reading + 1;
            bytes_read_ += bytes_of(range, unit_);
            changed_.notify_all();
        }
    } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        stop_ = true;
        changed_.notify_all();
    }
}

/// As requests of equal size, and one for the rest.
void ordered_reader::read(engine& by, const byte_range& range, std::byte* to,
                          std::vector<std::uint64_t>& list) {
    const std::uint64_t first = down(range.offset, unit_);
    const std::size_t bytes = bytes_of(range, unit_), rest = bytes % options_.request;
    list.clear();
    for (std::size_t at = 0; at + options_.request <= bytes; at += options_.request)
        list.push_back(first + at);
    try {
        if (!list.empty()) by.run({list, to, options_.request});
        if (rest == 0) return;
        const std::uint64_t last = first + bytes - rest;
        by.run({std::span(&last, 1), to + bytes - rest, rest});
    } catch (const error& reason) {
        if (!store_->in_queues() || store_->path().empty()) throw;
        throw error(store_->path() + ": " + reason.what());
    }
}

ordered_reader::piece ordered_reader::next(stream_t stream) {
    std::unique_lock lock(mutex_);
    if (consumed_ > 0 && !is_resident((consumed_ - 1) % ranges_.size())) {
        if (!used_.empty()) used_[streamed_before(consumed_ - 1) % slots_.size()].record(stream);
        ++released_;
        changed_.notify_all();
    }
    const std::uint64_t reading = consumed_++;
    const std::size_t range = reading % ranges_.size();
    slot& from = slot_of(reading);
    const double start = now();
    const auto is_there = [&] {
        return is_resident(range) ? from.ready > 0 : from.ready == reading + 1;
    };
    changed_.wait(lock, [&] { return error_ || is_there(); });
    waited_ += now() - start;
    if (!is_there()) std::rethrow_exception(error_);
    return {range, from.data + ranges_[range].offset % unit_, ranges_[range].bytes};
}

std::uint64_t ordered_reader::bytes_read() const {
    const std::lock_guard lock(mutex_);
    return bytes_read_;
}

}  // namespace watari::storage
