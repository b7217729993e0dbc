#include "watari/storage/stores/ordered_reader.hpp"

#include "watari/core/error.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace watari::storage {

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t least_unit = 16;  ///< bytes; the alignment that copies of rows on a GPU need

std::uint64_t down(std::uint64_t bytes, std::size_t unit) { return bytes / unit * unit; }
std::uint64_t up(std::uint64_t bytes, std::size_t unit) { return down(bytes + unit - 1, unit); }

/// Bytes of the units that a range touches.
std::size_t bytes_of(const byte_range& range, std::size_t unit) {
    if (range.bytes == 0) return 0;
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

void require_within(const open_store& store, const byte_range& range) {
    if (range.bytes <= store.bytes() && range.offset <= store.bytes() - range.bytes) return;
    throw usage_error("read of " + std::to_string(range.bytes) + " bytes at " +
                      std::to_string(range.offset) + " of " +
                      (store.path().empty() ? "a store" : store.path()) + ", which has " +
                      std::to_string(store.bytes()) + " bytes");
}

const reader_options& sensible(const reader_options& options, const std::vector<byte_range>& ranges,
                               const open_store& store, std::size_t unit) {
    if (ranges.empty()) throw usage_error("no ranges to read");
    if (!options.resident.empty() && options.resident.size() != ranges.size())
        throw usage_error("resident has " + std::to_string(options.resident.size()) +
                          " entries for " + std::to_string(ranges.size()) + " ranges");
    if (options.readers == 0 || options.ahead == 0 || options.depth == 0)
        throw usage_error("ahead, readers and depth are 1 or more");
    if (options.request == 0 || options.request % unit != 0)
        throw usage_error("requests of " + bytes_text(options.request) +
                          " are not whole units of " + bytes_text(unit));
    if (store.stripe() % options.request != 0)
        throw usage_error("requests of " + bytes_text(options.request) +
                          " are not whole parts of stripes of " + bytes_text(store.stripe()));
    std::size_t largest = 1;
    for (const byte_range& range : ranges) {
        require_within(store, range);
        largest = std::max(largest, range.bytes + 2 * (unit + page));
    }
    if (options.ahead > std::numeric_limits<std::size_t>::max() / 2 / largest)
        throw usage_error("ahead=" + std::to_string(options.ahead) +
                          ": no memory has so many ranges");
    return options;
}

}  // namespace

ordered_reader::ordered_reader(const open_store& store, std::vector<byte_range> ranges,
                               const reader_options& options)
    : store_(&store),
      ranges_(std::move(ranges)),
      options_(sensible(options, ranges_, store, std::max(least_unit, store.unit()))),
      unit_(std::max(least_unit, store.unit())),
      memory_(memory::local_kind(store.who()), memory_of(ranges_, options_, unit_) + page,
              {.device = store.who().number}) {
    auto* next =
        reinterpret_cast<std::byte*>(up(reinterpret_cast<std::uintptr_t>(memory_.data()), page));
    std::size_t largest = 0, blocks = 0;
    for (std::size_t n = 0; n < ranges_.size(); ++n) {
        const std::size_t bytes = up(bytes_of(ranges_[n], unit_), page);
        const bool stays = !options_.resident.empty() && options_.resident[n];
        blocks = std::max(blocks, bytes_of(ranges_[n], unit_) / options_.request + 1);
        before_.push_back(streamed_.size());
        own_.push_back(stays ? next : nullptr);
        if (stays) {
            next += bytes;
        } else {
            streamed_.push_back(n);
            largest = std::max(largest, bytes);
        }
    }
    for (std::size_t n = 0; !streamed_.empty() && n <= options_.ahead; ++n, next += largest)
        slots_.push_back(next);
    if (store.who().is_gpu()) {
        device::use(store.who().number);
        used_.resize(slots_.size());
    }
    team_.emplace(
        shared_, options_.readers,
        engine_use{
            store.who(), files::direction::read, options_.depth, {memory_.data(), memory_.size()}},
        std::vector<store_use>{{&store, options_.request, blocks}},
        [this](store_engines& by, std::size_t) { read_in_order(by, shared_, *this); });
}

ordered_reader::~ordered_reader() {
    shared_.stop();
    team_.reset();
    for (std::size_t n = 0; n < used_.size() && n < released_; ++n) used_[n].wait();
}

std::size_t ordered_reader::range_of(std::uint64_t read) const {
    return read < ranges_.size() ? read : streamed_[(read - ranges_.size()) % streamed_.size()];
}

std::uint64_t ordered_reader::streamed_before(std::uint64_t read) const {
    return read < ranges_.size() ? before_[read] : streamed_.size() + (read - ranges_.size());
}

std::uint64_t ordered_reader::read_of(std::uint64_t given) const {
    const std::size_t range = given % ranges_.size();
    const std::uint64_t round = given / ranges_.size();
    if (round == 0 || is_resident(range)) return range;
    return ranges_.size() + (round - 1) * streamed_.size() + before_[range];
}

std::byte* ordered_reader::location_of(std::uint64_t read) const {
    std::byte* const own = own_[range_of(read)];
    return own ? own : slots_[streamed_before(read) % slots_.size()];
}

std::optional<std::uint64_t> ordered_reader::take(std::unique_lock<std::mutex>& lock) {
    for (; !shared_.stopped && !shared_.error; shared_.changed.wait(lock)) {
        if (begun_ >= ranges_.size() && streamed_.empty()) break;
        if (is_resident(range_of(begun_)) || streamed_before(begun_) < released_ + slots_.size())
            return begun_++;
    }
    return std::nullopt;
}

/// Splits a range into requests of equal size and one for the rest. In stripes they begin at
/// multiples of their size, so that none is in two files; the first one may be shorter.
void ordered_reader::locate(std::uint64_t read, block_list& into) {
    const byte_range& range = ranges_[range_of(read)];
    const std::uint64_t streamed = streamed_before(read);
    if (!used_.empty() && !is_resident(range_of(read)) && streamed >= slots_.size())
        used_[streamed % slots_.size()].wait();
    const std::size_t bytes = bytes_of(range, unit_);
    const std::uint64_t first = down(range.offset, unit_);
    into.store = store_;
    into.memory = location_of(read);
    into.block = options_.request;
    into.head = store_->stripe() > 0 ? std::min(bytes, up(first, into.block) - first) : 0;
    into.head_offset = first;
    into.rest = (bytes - into.head) % into.block;
    into.rest_offset = first + bytes - into.rest;
    into.offsets.clear();
    for (std::uint64_t at = first + into.head; at < into.rest_offset; at += into.block)
        into.offsets.push_back(at);
}

/// Frees the slot of the range that `next` returned last; on a GPU, once `stream` reaches this
/// point.
void ordered_reader::release(std::uint64_t read, stream_t stream) {
    if (is_resident(range_of(read))) return;
    if (!used_.empty()) used_[streamed_before(read) % slots_.size()].record(stream);
    ++released_;
    shared_.changed.notify_all();
}

ordered_reader::piece ordered_reader::next(stream_t stream) {
    std::unique_lock lock(shared_.mutex);
    if (given_ > 0) release(read_of(given_ - 1), stream);
    const std::uint64_t read = read_of(given_++);
    const double start = now();
    const auto is_there = [&] { return arrived_.count > read; };
    shared_.changed.wait(lock, [&] { return shared_.error || is_there(); });
    waited_ += now() - start;
    if (!is_there()) std::rethrow_exception(shared_.error);
    const std::size_t range = range_of(read);
    return {range, location_of(read) + ranges_[range].offset % unit_, ranges_[range].bytes};
}

std::uint64_t ordered_reader::bytes_read() const {
    const std::lock_guard lock(shared_.mutex);
    return arrived_.bytes;
}

}  // namespace watari::storage
