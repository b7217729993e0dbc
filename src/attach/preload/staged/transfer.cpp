#include "transfer.hpp"

#include "../calls/functions.hpp"
#include "../driver/driver_call.hpp"
#include "../log/event_log.hpp"
#include "memory/fresh.hpp"
#include "pool/backoff.hpp"
#include "pool/pool.hpp"

namespace attach::staged {
namespace {

constexpr result not_ready = 600;

constinit driver_call<result(void*, stream)> record_event{"cuEventRecord"};
constinit driver_call<result(void*)> query_event{"cuEventQuery"};

class pieces {
public:
    pieces(lane& lane, const transfer& transfer) : in(lane), asked(transfer), work(lane.work) {
        const plan cut = plan_of(asked.bytes, asked.is_to_host, in.bytes);
        ring = cut.slots;
        const rows& by = asked.rows;
        const std::size_t piece = by.width ? cut.piece / by.width * by.width : cut.piece;
        work.begin({asked.host, in.slots, asked.bytes, piece, cut.piece, cut.slots,
                    asked.is_to_host, cut.passes_caches, by.width, by.host_pitch,
                    asked.is_to_host && !by.width && is_fresh(asked.host, asked.bytes)});
        count = work.count();
    }

    outcome run() {
        if (asked.is_to_host)
            to_host();
        else
            to_device();
        work.stop();
        in.last = asked.on;
        in.last_slot = submitted ? static_cast<unsigned>((submitted - 1) % ring) : 0;
        in.is_in_flight = submitted > arrived;
        return {failed, begun};
    }

private:
    // Threads fill slots; those that the GPU has read are filled again.
    void to_device() {
        await_previous();
        open(ring);
        backoff waiting;
        while (!failed && (submitted < count || arrived < (asked.waits ? count : 1))) {
            bool is_moving = submitted < count && work.is_done(submitted) && submit();
            const bool is_asked = arrived == 0 || submitted == count || arrived + ring < count;
            if (is_asked && arrived < submitted && is_at_rest(arrived)) {
                ++arrived;
                open(arrived + ring);
                is_moving = true;
            }
            // threads that sleep wake up meanwhile
            if (!is_moving && submitted == 0) is_moving = work.help();
            pass(waiting, is_moving);
        }
    }

    // The GPU fills slots; threads empty those that it has filled.
    void to_host() {
        await_previous();
        std::uint64_t emptied = 0;
        backoff waiting;
        while (!failed && emptied < count) {
            bool is_moving = submitted < count && submitted < emptied + ring && submit();
            if (arrived < submitted && is_at_rest(arrived)) {
                open(++arrived);
                is_moving = true;
            }
            if (emptied < arrived && work.is_done(emptied)) {
                ++emptied;
                is_moving = true;
            }
            if (!is_moving && emptied == 0) is_moving = work.help();
            pass(waiting, is_moving);
        }
    }

    // The slots of an earlier copy in this stream, which may have had other slots than this one.
    void await_previous() {
        backoff waiting;
        while (!failed && in.is_in_flight) {
            if (has_passed(in.events[in.last_slot]))
                in.is_in_flight = false;
            else
                waiting.pass();
        }
    }

    void open(std::uint64_t limit) {
        if (work.open(limit < count ? limit : count)) call_pool();
    }

    bool submit() {
        failed = asked.rows.width ? submit_rows() : submit_line();
        if (!failed) failed = record_event(in.events[submitted % ring], asked.on);
        if (!failed) ++submitted;
        return !failed;
    }

    result submit_line() const {
        const device_pointer device = asked.device + work.offset(submitted);
        unsigned char* slot = work.slot(submitted);
        const std::size_t bytes = work.size(submitted);
        return asked.is_to_host ? real<cuMemcpyDtoHAsync_v2>()(slot, device, bytes, asked.on)
                                : real<cuMemcpyHtoDAsync_v2>()(device, slot, bytes, asked.on);
    }

    result submit_rows() const {
        const rows& by = asked.rows;
        const device_pointer device =
            asked.device + work.offset(submitted) / by.width * by.device_pitch;
        driver::rectangle piece{};
        piece.width = by.width;
        piece.height = work.size(submitted) / by.width;
        piece.from_pitch = asked.is_to_host ? by.device_pitch : by.width;
        piece.to_pitch = asked.is_to_host ? by.width : by.device_pitch;
        piece.from_type = asked.is_to_host ? driver::device_memory : driver::host_memory;
        piece.to_type = asked.is_to_host ? driver::host_memory : driver::device_memory;
        piece.from_host = piece.to_host = work.slot(submitted);
        piece.from = piece.to = device;
        return real<cuMemcpy2DAsync_v2>()(&piece, asked.on);
    }

    // Whether the GPU has done with a piece.
    bool is_at_rest(std::uint64_t piece) {
        if (!has_passed(in.events[piece % ring])) return false;
        if (!begun) begun = now();
        return true;
    }

    bool has_passed(void* event) {
        const result found = query_event(event);
        if (found == not_ready) return false;
        failed = found;
        return !failed;
    }

    static void pass(backoff& waiting, bool is_moving) {
        if (is_moving)
            waiting.renew();
        else
            waiting.pass();
    }

    lane& in;
    const transfer& asked;
    attach::staged::work& work;
    std::uint64_t ring, count;
    std::uint64_t submitted = 0;  // to the stream
    std::uint64_t arrived = 0;    // pieces that the GPU has done, in the order of the stream
    std::uint64_t begun = 0;
    result failed = driver::success;
};

}  // namespace

outcome run(lane& in, const transfer& asked) { return pieces(in, asked).run(); }

}  // namespace attach::staged
