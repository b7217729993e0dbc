#include "watari/storage/stores/range_files.hpp"

#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/core/parallel/on_threads.hpp"
#include "watari/core/threads.hpp"
#include "watari/files/file_error.hpp"
#include "watari/measure/thread_team.hpp"
#include "watari/storage/engines/depth.hpp"
#include "watari/storage/engines/notes.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

namespace watari::storage {

namespace {

constexpr std::size_t request_bytes = std::size_t{1} << 20;  ///< of the largest request
constexpr std::size_t thread_bytes = std::size_t{1} << 21;   ///< that are worth a thread
constexpr std::size_t most_threads = 16;
constexpr std::size_t most_parts = 1024;  ///< of one request: IOV_MAX

constexpr std::size_t thread_files = 32;  ///< that are worth a thread to open them

std::size_t usual_threads() { return std::min(most_threads, cpu::own_cpus().size()); }

files::file_options as_opened(std::vector<std::string> paths, files::direction direction,
                              bool past_cache) {
    const std::size_t threads =
        std::clamp<std::size_t>(paths.size() / thread_files, 1, usual_threads());
    if (threads > 1) measure::unbind();
    return {.paths = std::move(paths),
            .writable = direction == files::direction::write,
            .cache = past_cache ? files::cache_state::none : files::cache_state::cold,
            .apart = true,
            .regular = true,
            .threads = static_cast<unsigned>(threads)};
}

/// Requests of one shape whose locations follow one another, as an engine takes them.
struct list {
    std::vector<std::uint64_t> offsets;
    std::byte* memory;
    std::size_t block, parts, stride;

    requests as_requests() const { return {offsets, memory, block, parts, stride}; }
};

/// Splits blocks into requests, and gathers requests of one shape.
class lists {
public:
    explicit lists(std::size_t length) : length_(length) {}

    void add(const byte_block& block) {
        if (block.parts > 1 && block.bytes / block.parts <= request_bytes) return add_parts(block);
        const std::size_t part = block.bytes / block.parts;
        for (std::size_t i = 0; i < block.parts; ++i)
            add_bytes(address(block) + i * part, block.memory + i * block.stride, part);
    }
    std::size_t largest() const { return largest_; }
    std::size_t longest() const { return longest_; }
    const std::vector<list>& all() const { return lists_; }

private:
    static std::uint64_t address(const byte_block& block) {
        return block.file * files::file_room + block.offset;
    }

    void add_bytes(std::uint64_t offset, std::byte* memory, std::size_t bytes) {
        for (std::size_t done = 0; done < bytes; done += request_bytes)
            push(offset + done, memory + done, std::min(request_bytes, bytes - done), 1, 0);
    }

    void add_parts(const byte_block& block) {
        const std::size_t part = block.bytes / block.parts;
        const std::size_t most = std::clamp<std::size_t>(request_bytes / part, 1, most_parts);
        for (std::size_t done = 0; done < block.parts; done += most) {
            const std::size_t parts = std::min(most, block.parts - done);
            push(address(block) + done * part, block.memory + done * block.stride, parts * part,
                 parts, block.stride);
        }
    }

    void push(std::uint64_t offset, std::byte* memory, std::size_t bytes, std::size_t parts,
              std::size_t stride) {
        largest_ = std::max(largest_, bytes);
        const bool follows =
            !lists_.empty() && lists_.back().offsets.size() < length_ &&
            lists_.back().block == bytes && lists_.back().parts == parts &&
            lists_.back().stride == stride &&
            memory == lists_.back().memory + lists_.back().offsets.size() * (bytes / parts);
        if (!follows) lists_.push_back({{}, memory, bytes, parts, stride});
        lists_.back().offsets.push_back(offset);
        longest_ = std::max(longest_, lists_.back().offsets.size());
    }

    std::size_t length_;  ///< requests of a list, at most
    std::vector<list> lists_;
    std::size_t largest_ = 0, longest_ = 0;
};

std::size_t threads_for(std::size_t bytes, std::size_t lists, std::size_t asked) {
    const std::size_t worth = std::min(bytes / thread_bytes, lists);
    if (worth <= 1 || asked == 1) return 1;
    return std::min(worth, asked > 0 ? asked : usual_threads());
}

/// Moves all lists, each by one of the threads, which have an engine each.
std::vector<std::string> move_all(const std::vector<list>& all, const engine_row& row,
                                  const engine_options& options, std::size_t threads) {
    notes found;
    std::mutex mutex;
    if (threads > 1) measure::unbind();
    cpu::on_threads(threads, all.size(), [&](std::atomic<std::size_t>& next) {
        if (options.who.is_gpu()) device::use(options.who.number);
        const std::unique_ptr<engine> by = row.make(options);
        for (std::size_t i = next++; i < all.size(); i = next++) by->run(all[i].as_requests());
        const std::lock_guard lock(mutex);
        found.add(*by);
    });
    return found.texts();
}

}  // namespace

range_files::range_files(std::vector<std::string> paths, files::direction direction,
                         bool past_cache)
    : direction_(direction), opened_(as_opened(std::move(paths), direction, past_cache)) {
    for (std::size_t i = 0; i < opened_.count(); ++i)
        states_.push_back(files::file_state::of(opened_.descriptor_of(i)));
}

void range_files::require_unchanged() const {
    if (direction_ == files::direction::write) return;
    for (std::size_t i = 0; i < count(); ++i) {
        const files::file_state now = files::file_state::of(opened_.descriptor_of(i));
        if (now == states_[i]) continue;
        const std::string change = now.bytes == states_[i].bytes
                                       ? "another process wrote to it"
                                       : "its size is now " + std::to_string(now.bytes) +
                                             " bytes, and was " + std::to_string(states_[i].bytes);
        throw file_error(opened_.path(i) + ": changed while it is open: " + change);
    }
}

void range_files::require_inside(const byte_block& block, const range_use& how) const {
    if (block.file >= count() || block.parts == 0 || block.bytes % block.parts != 0)
        throw usage_error("a block of no file, or of unequal parts");
    if (block.offset > bytes(block.file) || block.bytes > bytes(block.file) - block.offset)
        throw file_error(
            opened_.path(block.file) + ": cut short: " + std::to_string(bytes(block.file)) +
            " bytes, and the array has bytes up to " + std::to_string(block.offset + block.bytes));
    const std::size_t part = block.bytes / block.parts;
    const std::byte* const end = block.memory + (block.parts - 1) * block.stride + part;
    if (block.memory < how.memory.data() || end > how.memory.data() + how.memory.size())
        throw usage_error("a block outside its memory");
}

std::vector<std::string> range_files::move(std::span<const byte_block> blocks,
                                           const range_use& how) const {
    const engine_row& row = engine_named(how.engine);
    if (row.of_objects) throw usage_error("engine " + how.engine + " reads objects, not files");
    if (row.queued)
        throw unsupported("engine " + how.engine +
                          " reads whole sectors, and arrays begin at any byte");
    lists work(row.deep ? usual_depth : 4);
    std::size_t bytes = 0;
    for (const byte_block& block : blocks) {
        require_inside(block, how);
        if (block.bytes > 0) work.add(block);
        bytes += block.bytes;
    }
    if (bytes == 0) return {};
    engine_options options{.files = &opened_,
                           .direction = direction_,
                           .pattern = pattern::sequential,
                           .block = work.largest(),
                           .depth = default_depth(how.engine, request_bytes, false),
                           .requests = work.longest(),
                           .who = how.who};
    if (how.who.is_gpu()) {  // memory of the CPU is not registered: that takes as long as a read
        options.memory = how.memory.data();
        options.bytes = how.memory.size();
    }
    if (const std::string reason = row.unsupported(options); !reason.empty())
        throw unsupported(reason);
    try {
        const std::vector<std::string> notes =
            move_all(work.all(), row, options, threads_for(bytes, work.all().size(), how.threads));
        require_unchanged();
        return notes;
    } catch (const error&) {
        require_unchanged();  // a file that was cut is the reason of a short read
        throw;
    }
}

}  // namespace watari::storage
