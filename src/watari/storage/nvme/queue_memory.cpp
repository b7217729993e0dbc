#include "watari/storage/nvme/queue_memory.hpp"

#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/machine/hardware_queues.hpp"
#include "watari/memory/move.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <string>

namespace watari::storage {

namespace {

constexpr std::size_t line = 128;
constexpr std::size_t most_delivered = 256;  ///< commands, whose slots are 2 MiB each

constexpr std::size_t whole_lines(std::size_t bytes) { return (bytes + line - 1) / line * line; }

/// Layout of one queue's rings and doorbells: offsets and total bytes. Each begins on a page, as a
/// device requires.
struct ring_layout {
    std::size_t completions, doorbells, bytes;
    explicit ring_layout(std::uint32_t depth) {
        const auto whole_pages = [](std::size_t b) {
            return (b + prp_page - 1) / prp_page * prp_page;
        };
        completions = whole_pages(depth * sizeof(submission_entry));
        doorbells = completions + whole_pages(depth * sizeof(completion_entry));
        bytes = doorbells + prp_page;
    }
};

/// Entries from one slot's PRP list to the next: a power of two, so that no list crosses a page,
/// where it would have to be chained.
std::size_t list_stride(std::size_t max_transfer) { return std::bit_ceil(max_transfer / prp_page); }

/// Bytes from one slot to the next. Slots must not have the same offset in every large page: they
/// would share a set of a processor's cache, and short transfers would evict each other.
std::size_t slot_stride(std::size_t max_transfer) {
    return max_transfer < 1 << 15 ? max_transfer : max_transfer + prp_page;
}

/// The users' memory: all queue_views, then for each queue its state and three arrays.
struct state_layout {
    std::size_t first, free_ids, ready, results, stride;
    state_layout(std::uint32_t queues, std::uint32_t depth) {
        const std::size_t array = whole_lines(depth * sizeof(std::uint32_t));
        first = whole_lines(queues * sizeof(queue_view));
        free_ids = whole_lines(sizeof(queue_state));
        ready = free_ids + array;
        results = ready + array;
        stride = results + array;
    }
    std::size_t bytes(std::uint32_t queues) const { return first + queues * stride; }
};

/// Allocates memory that users and controller see. For a GPU it is anonymous memory in huge pages
/// that CUDA registers (the kernel can then register it for io_uring, too).
memory::block shared(const queue_options& options, std::size_t bytes) {
    memory::placement how = memory::huge_placement();
    how.device = options.users.number;
    memory::block block(memory::host_kind(options.users), std::max(bytes, prp_page), how);
    std::memset(block.data(), 0, block.bytes());
    return block;
}

memory::block own(const queue_options& options) {
    return {memory::local_kind(options.users),
            state_layout(options.queues, options.depth).bytes(options.queues),
            {.device = options.users.number}};
}

const queue_options& checked(const queue_options& options) {
    const std::uint32_t depth = options.depth, transfer = options.max_transfer;
    if (!std::has_single_bit(depth) || depth < least_depth || depth > most_depth)
        throw usage_error("queue depth " + std::to_string(depth) +
                          ": must be a power of two from 2 to 16384");
    if (options.max_outstanding >= depth)
        throw usage_error(std::to_string(options.max_outstanding) +
                          " identifiers at once in a queue of " + std::to_string(depth) +
                          ": must be fewer than it is deep");
    if (options.queues == 0 || options.queues > 0xfffe)
        throw usage_error(std::to_string(options.queues) + " queues: must be 1 to 65534");
    if (transfer == 0 || transfer % prp_page != 0 || transfer > 512 * prp_page)
        throw usage_error("largest transfer of " + bytes_text(transfer) +
                          ": must be whole pages of 4096 bytes, at most 2 MiB (one PRP list)");
    if (options.delivered_from > transfer)
        throw usage_error("reads delivered from " + bytes_text(options.delivered_from) +
                          " on: must be no more than the largest transfer");
    if (options.first_ticket % (2 * depth) != 0)
        throw usage_error("first ticket: must be a multiple of twice the depth (phase 1)");
    return options;
}

}  // namespace

queue_options queues_for(processor users, std::size_t threads, std::size_t under_way,
                         std::size_t block) {
    const std::size_t queues = users.is_gpu() ? 2 * threads : threads;
    const bool several = users.is_gpu() && block % copied_by_warps == 0;
    const bool delivered =
        users.is_gpu() && block % large_run == 0 && machine::copies_pass_kernels();
    const std::size_t transfer = delivered ? large_run
                                 : several ? copied_by_warps
                                           : std::bit_ceil(std::max(block, prp_page));
    std::size_t commands = under_way * std::max<std::size_t>(block / transfer, 1);
    if (delivered) commands = std::min(commands, most_delivered);
    const std::size_t max_outstanding =
        std::clamp<std::size_t>((commands + queues - 1) / queues, 1, most_depth - 1);
    return {.users = users,
            .queues = static_cast<std::uint32_t>(queues),
            .depth = static_cast<std::uint32_t>(std::bit_ceil(
                (delivered ? std::max<std::size_t>(commands / queues, 1) : max_outstanding) + 1)),
            .max_outstanding = static_cast<std::uint32_t>(delivered ? 0 : max_outstanding),
            .max_transfer = static_cast<std::uint32_t>(transfer),
            .delivered_from = delivered ? static_cast<std::uint32_t>(large_run) : 0};
}

queue_memory::queue_memory(const queue_options& options)
    : options_(checked(options)),
      depth_log2_(static_cast<std::uint16_t>(std::countr_zero(options.depth))),
      rings_(shared(options, options.queues * ring_layout(options.depth).bytes)),
      slots_(shared(options, slot_count() * slot_stride(options.max_transfer))),
      lists_(shared(options, slot_count() * list_stride(options.max_transfer) * 8)),
      deliveries_(
          shared(options, options.delivered_from > 0 ? slot_count() * sizeof(delivery_state) : 0)),
      state_(own(options)) {
    auto* entry = static_cast<std::uint64_t*>(lists_.data());
    const auto slots = reinterpret_cast<std::uint64_t>(slots_.data());
    for (std::size_t slot = 0; slot < slot_count(); ++slot)
        for (std::size_t page = 1; page < options.max_transfer / prp_page; ++page)
            entry[slot * list_stride(options.max_transfer) + page - 1] =
                slots + slot * slot_stride(options.max_transfer) + page * prp_page;
    write_state();
}

void queue_memory::clear() {
    std::memset(rings_.data(), 0, rings_.bytes());
    std::memset(deliveries_.data(), 0, deliveries_.bytes());
    write_state();
}

void queue_memory::write_state() const {
    const state_layout layout(options_.queues, options_.depth);
    const std::uint32_t depth = options_.depth, first = options_.first_ticket;
    const std::uint32_t ids = options_.max_outstanding > 0 ? options_.max_outstanding : depth;
    std::vector<std::byte> image(layout.bytes(options_.queues));
    for (std::uint32_t q = 0; q < options_.queues; ++q) {
        const queue_view view = queue(q);
        std::memcpy(image.data() + q * sizeof(queue_view), &view, sizeof view);
        std::byte* own = image.data() + layout.first + q * layout.stride;
        queue_state state{};
        state.credits = static_cast<std::int32_t>(std::min(ids, depth - 1));
        state.acquired = state.tickets = state.tail = state.head = first;
        state.returned = first + ids;
        std::memcpy(own, &state, sizeof state);
        const auto put = [&](std::size_t array, std::uint32_t i, std::uint32_t word) {
            std::memcpy(own + array + i * sizeof word, &word, sizeof word);
        };
        for (std::uint32_t i = 0; i < depth; ++i) {
            // entries after the last identifier look as if theirs were in use
            const std::uint32_t turn =
                i < ids ? view.free_turn(first) : view.free_turn(first - depth) + 1;
            put(layout.free_ids, i, i | (turn & 0xffff) << 16);
            put(layout.ready, i, view.ready_turn(first - depth));
            put(layout.results, i, i << 16 | idle);
        }
    }
    memory::copy_now(options_.users, state_.data(), image.data(), image.size());
}

queue_view queue_memory::queue(std::uint32_t number) const {
    const state_layout layout(options_.queues, options_.depth);
    std::byte* own = static_cast<std::byte*>(state_.data()) + layout.first + number * layout.stride;
    const auto words = [&](std::size_t at) { return reinterpret_cast<std::uint32_t*>(own + at); };
    return {.submissions = submissions(number),
            .completions = completions(number),
            .submission_doorbell = doorbells(number),
            .completion_doorbell = doorbells(number) + doorbell_stride,
            .state = reinterpret_cast<queue_state*>(own),
            .free_ids = words(layout.free_ids),
            .ready = words(layout.ready),
            .results = words(layout.results),
            .limit = static_cast<std::int64_t>(options_.limit * 1e9),
            .id = static_cast<std::uint16_t>(number + 1),
            .depth_log2 = depth_log2_};
}

namespace_view queue_memory::view(std::uint64_t blocks, std::uint32_t block_bytes) const {
    return {.queues = static_cast<const queue_view*>(state_.data()),
            .slots = static_cast<std::byte*>(slots_.data()),
            .prp_lists = static_cast<const std::uint64_t*>(lists_.data()),
            .list_stride = list_stride(options_.max_transfer),
            .slot_stride = slot_stride(options_.max_transfer),
            .deliveries = static_cast<delivery_state*>(deliveries_.data()),
            .blocks = blocks,
            .queue_count = options_.queues,
            .block_bytes = block_bytes,
            .max_transfer = options_.max_transfer,
            .delivered_from = options_.delivered_from,
            .nsid = 1,
            .depth = options_.depth,
            .max_outstanding =
                options_.max_outstanding > 0 ? options_.max_outstanding : options_.depth - 1};
}

submission_entry* queue_memory::submissions(std::uint32_t queue) const {
    return reinterpret_cast<submission_entry*>(static_cast<std::byte*>(rings_.data()) +
                                               queue * ring_layout(options_.depth).bytes);
}

completion_entry* queue_memory::completions(std::uint32_t queue) const {
    return reinterpret_cast<completion_entry*>(reinterpret_cast<std::byte*>(submissions(queue)) +
                                               ring_layout(options_.depth).completions);
}

std::uint32_t* queue_memory::doorbells(std::uint32_t queue) const {
    return reinterpret_cast<std::uint32_t*>(reinterpret_cast<std::byte*>(submissions(queue)) +
                                            ring_layout(options_.depth).doorbells);
}

}  // namespace watari::storage
