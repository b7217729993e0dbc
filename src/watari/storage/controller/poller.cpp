#include "watari/storage/controller/poller.hpp"

#include "watari/core/parallel/atomic.hpp"
#include "watari/storage/controller/prp.hpp"

#include <bit>
#include <exception>

namespace watari::storage {

namespace {

void add(std::uint64_t& counter, std::uint64_t more) {
    cpu::everywhere::store_relaxed(counter, counter + more);
}

constexpr std::uint32_t fetched_ahead = 8;  ///< entries on their way into this core's cache

/// Bytes of commands that a round starts in each queue. Users get these completions while the next
/// commands are served. If they got all together, the poller would then wait for all users.
constexpr std::uint64_t at_once = 1 << 16;

}  // namespace

poller::poller(const queue_memory& memory, const served_namespace& served,
               std::unique_ptr<io_channel> channel, std::uint32_t first, std::uint32_t step)
    : served_(served),
      view_(memory.view(served.blocks, served.block_bytes)),
      depth_(memory.options().depth),
      depth_log2_(static_cast<std::uint32_t>(std::countr_zero(depth_))),
      step_(step),
      first_(first),
      channel_(std::move(channel)) {
    const std::uint32_t start = memory.options().first_ticket;
    for (std::uint32_t q = first; q < memory.options().queues; q += step)
        queues_.push_back({static_cast<std::uint16_t>(q),
                           memory.submissions(q),
                           memory.completions(q),
                           memory.doorbells(q),
                           start,
                           start,
                           start & (depth_ - 1),
                           {},
                           {}});
}

void poller::run(const std::atomic<bool>& stop) {
    const auto busy = [&] { return !failed_ && channel_->under_way() > 0; };
    for (unsigned idle = 0; !stop.load(std::memory_order_relaxed) || busy();) {
        try {
            idle = serve() ? 0 : idle + 1;
        } catch (const std::exception& e) {
            fail(e);
        }
        if (idle > 0) cpu::pause(idle);  // no thread wakes a poller, so it polls again
    }
}

/// Records what the channel threw. Commands that the channel had taken are in doubt, and get no
/// completion.
void poller::fail(const std::exception& e) {
    if (failed_) return;
    failure_ = e.what();
    failed_ = true;
}

bool poller::serve() {
    bool worked = false;
    for (queue& q : queues_) {
        while (!q.held.empty() && write_entry(q, q.held.front())) q.held.pop_front();
        worked |= fetch(q);
    }
    ended_.clear();
    if (!failed_) channel_->reap(ended_);
    for (const ending& e : ended_) post(queues_[(e.queue - first_) / step_], e);
    return worked || !ended_.empty();
}

/// Starts the commands between the head and the doorbell, as many as fit a round. Ignores a
/// doorbell beyond the ring.
bool poller::fetch(queue& q) {
    const std::uint32_t mask = depth_ - 1, bell = cpu::everywhere::load_acquire(q.doorbells[0]);
    if (bell > mask) return false;
    const std::uint32_t before = q.head;
    for (std::uint64_t bytes = 0; bytes < at_once && (q.head & mask) != bell;) {
        __builtin_prefetch(&q.submissions[(q.head + fetched_ahead) & mask]);
        const submission_entry command = q.submissions[q.head & mask];
        ++q.head;
        if (!start(q, command)) {
            --q.head;
            break;
        }
        bytes += std::uint64_t{command.blocks()} * served_.block_bytes;
    }
    return q.head != before;
}

/// Checks a command and describes it in `out`; returns why it is rejected, or success.
status poller::check(const queue& q, const submission_entry& command, request& out) {
    const std::uint8_t operation = command.operation();
    if (operation > static_cast<std::uint8_t>(opcode::read)) return invalid_opcode;
    const bool is_flush = operation == static_cast<std::uint8_t>(opcode::flush);
    if (command.nsid != 1 && !(is_flush && command.nsid == 0xffffffff)) return invalid_namespace;
    if (q.under_way[command.cid()]) return command_id_conflict;
    out = {q.number, command.cid(), static_cast<opcode>(operation), false, 0, 0, {}};
    if (is_flush) return success;
    const std::uint64_t count = command.blocks();
    if (command.block >= served_.blocks || count > served_.blocks - command.block)
        return lba_out_of_range;
    out.bytes = count * served_.block_bytes;
    if (out.bytes > served_.max_transfer) return invalid_field;
    out.offset = command.block * served_.block_bytes;
    out.fua = command.fua();
    if (command.psdt() != 0) return check_delivery(q, command, out);
    const status memory = read_prps(command, out.bytes, served_.known, ranges_);
    out.ranges = ranges_;
    return memory;
}

/// Checks a read that names a destination: its data go to the command's slot first.
status poller::check_delivery(const queue& q, const submission_entry& command, request& out) {
    const std::uint32_t least = view_.delivered_from;
    if (command.psdt() != 1 || least == 0 || out.bytes < least || out.operation != opcode::read)
        return invalid_field;
    if (command.sgl_type() != 0) return invalid_sgl_type;
    if (command.sgl_length() != out.bytes) return invalid_sgl_length;
    ranges_.assign(1, {slot_of(view_, {.queue = q.number, .cid = command.cid()}), out.bytes});
    out.ranges = ranges_;
    out.destination = reinterpret_cast<std::byte*>(command.sgl_address());
    return success;
}

/// Starts a command, or posts its error. False if the channel can take no more now.
bool poller::start(queue& q, const submission_entry& command) {
    request asked;
    status outcome = check(q, command, asked);
    if (outcome.ok() && failed_) outcome = internal_error;
    if (!outcome.ok()) {
        // a conflict is reported without ending the command that has this identifier
        const bool other = q.under_way[command.cid()];
        post(q, {q.number, command.cid(), outcome});
        q.under_way[command.cid()] = other;
        return true;
    }
    q.under_way[command.cid()] = true;
    try {
        if (channel_->submit(asked)) {
            count(asked);
            return true;
        }
    } catch (const std::exception& e) {
        fail(e);
        post(q, {q.number, command.cid(), internal_error});
        return true;
    }
    q.under_way[command.cid()] = false;
    return false;
}

void poller::post(queue& q, const ending& e) {
    if (!e.outcome.ok()) add(counts_.failed, 1);
    if (!e.bad_phase) q.under_way[e.cid] = false;
    if (!q.held.empty() || !write_entry(q, e)) q.held.push_back(e);
}

/// Writes the next completion; false while the completion queue is full. The data and the entry's
/// other half are visible before the phase tag.
bool poller::write_entry(queue& q, const ending& e) {
    const std::uint32_t mask = depth_ - 1;
    const auto is_full = [&] { return ((q.tail - q.taken) & mask) == mask; };
    if (is_full())
        q.taken = cpu::everywhere::load_acquire(q.doorbells[queue_memory::doorbell_stride]);
    if (is_full()) return false;
    completion_entry& entry = q.completions[q.tail & mask];
    const bool phase = expected_phase(q.tail, depth_log2_) != e.bad_phase;
    cpu::everywhere::store_relaxed(entry.result, std::uint64_t{0});
    cpu::everywhere::store_release(
        entry.outcome, make_outcome(e.cid, static_cast<std::uint16_t>(q.number + 1),
                                    static_cast<std::uint16_t>(q.head & mask), phase, e.outcome));
    if (!e.bad_phase) ++q.tail;
    return true;
}

void poller::count(const request& command) {
    add(counts_.commands, 1);
    if (command.operation == opcode::read) add(counts_.bytes_read, command.bytes);
    if (command.operation == opcode::write) add(counts_.bytes_written, command.bytes);
}

controller_counts poller::counts() const {
    return {cpu::everywhere::load_relaxed(counts_.commands),
            cpu::everywhere::load_relaxed(counts_.failed),
            cpu::everywhere::load_relaxed(counts_.bytes_read),
            cpu::everywhere::load_relaxed(counts_.bytes_written)};
}

}  // namespace watari::storage
