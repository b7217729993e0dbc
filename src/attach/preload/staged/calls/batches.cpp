// Replacements of the functions that copy batches. The copies of a batch have no order among one
// another, only with the work before and after the batch in its stream. So the driver makes, and
// checks, those that are not staged; the others follow by pieces in the same stream.
//
// A source that must be read in the order of the stream stays with the driver: earlier work of the
// stream may still write it. So do batches of volumes (cuMemcpy3DBatchAsync).
#include <cstdlib>

#include "asked.hpp"

namespace attach {
namespace {

using driver::batch_attributes;
using staged::own, staged::to_device, staged::to_host, staged::transfer;

template <class Row>
class array {
public:
    explicit array(std::size_t count) : rows(static_cast<Row*>(std::calloc(count, sizeof(Row)))) {}
    ~array() { std::free(rows); }
    array(const array&) = delete;
    array& operator=(const array&) = delete;
    explicit operator bool() const { return rows; }
    Row& operator[](std::size_t index) { return rows[index]; }
    Row* get() { return rows; }

private:
    Row* rows;
};

struct batch {
    const device_pointer *to, *from;
    const std::size_t* bytes;
    std::size_t count;
    const batch_attributes* attributes;
    const std::size_t* firsts;  // the copy from which on a row of attributes holds
    std::size_t kinds;

    bool has_large() const {
        for (std::size_t i = 0; bytes && i < count; ++i)
            if (bytes[i] >= staged::least_copy) return true;
        return false;
    }

    // Whether the driver takes its attributes.
    bool is_sound() const {
        if (!to || !from || !attributes || !firsts || kinds == 0 || kinds > count) return false;
        for (std::size_t i = 0; i < kinds; ++i) {
            const int order = attributes[i].order;
            const bool is_next = i == 0 ? firsts[0] == 0 : firsts[i] > firsts[i - 1];
            if (!is_next || firsts[i] >= count || order < driver::order_of_stream ||
                order > driver::order_any || attributes[i].flags > 1)
                return false;
        }
        return true;
    }
};

enum class way : char { by_driver, in, out };

// The copies of a batch, and which of them are staged.
class division {
public:
    division(const batch& divided, stream in_stream)
        : all(divided), on(in_stream), ways(all.count) {}

    // Whether any copy is pageable. The driver is asked about large copies only.
    bool find() {
        if (!ways) return false;
        bool is_any = false;
        std::size_t kind = 0;
        for (std::size_t i = 0; i < all.count; ++i) {
            while (kind + 1 < all.kinds && all.firsts[kind + 1] <= i) ++kind;
            ways[i] = way_of(i, all.attributes[kind].order);
            is_any = is_any || ways[i] != way::by_driver;
        }
        return is_any;
    }

    transfer at(std::size_t i) const {
        const bool is_out = ways[i] == way::out;
        return is_out ? asked(i, to_host) : asked(i, to_device);
    }

    bool is_of_driver(std::size_t i) const { return ways[i] == way::by_driver; }

private:
    transfer asked(std::size_t i, bool is_out) const {
        const device_pointer host = is_out ? all.to[i] : all.from[i];
        const device_pointer device = is_out ? all.from[i] : all.to[i];
        return {reinterpret_cast<unsigned char*>(host), device, all.bytes[i], is_out, false, on};
    }

    way way_of(std::size_t i, int order) const {
        const transfer in = asked(i, to_device), out = asked(i, to_host);
        if (!staged::is_candidate(in)) return way::by_driver;
        if (is_pageable(in)) return order == driver::order_of_stream ? way::by_driver : way::in;
        return is_pageable(out) ? way::out : way::by_driver;
    }

    const batch& all;
    const stream on;
    mutable array<way> ways;
};

// Copies of a batch as one of the driver, with the attributes that they had.
class part {
public:
    explicit part(const batch& of)
        : all(of),
          to(of.count),
          from(of.count),
          bytes(of.count),
          places(of.count),
          firsts(of.kinds),
          attributes(of.kinds) {}

    explicit operator bool() const { return to && from && bytes && places && firsts && attributes; }

    // In the order of the batch.
    void add(std::size_t i) {
        while (next < all.kinds && all.firsts[next] <= i) ++next;
        if (kinds == 0 || of_last != next) {
            attributes[kinds] = all.attributes[next - 1];
            firsts[kinds++] = count;
            of_last = next;
        }
        to[count] = all.to[i];
        from[count] = all.from[i];
        bytes[count] = all.bytes[i];
        places[count++] = i;
    }

    // `copy`: the driver's function, of a batch and the index of the copy that failed.
    template <class Copy>
    result run(std::size_t* failed, Copy copy) {
        if (count == 0) return driver::success;
        const result outcome = copy(
            batch{to.get(), from.get(), bytes.get(), count, attributes.get(), firsts.get(), kinds},
            failed);
        if (outcome != driver::success && failed && *failed < count) *failed = places[*failed];
        return outcome;
    }

private:
    const batch& all;
    array<device_pointer> to, from;
    array<std::size_t> bytes, places, firsts;
    array<batch_attributes> attributes;
    std::size_t count = 0, kinds = 0, next = 0, of_last = 0;
};

// Without `staged` only the time is recorded, divided by bytes.
template <class Copy>
result record(const batch& all, const division& divided, std::size_t* failed, Copy copy) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < all.count; ++i) bytes += all.bytes[i];
    const std::uint64_t begun = now();
    const result outcome = copy(all, failed);
    if (outcome != driver::success) return outcome;
    const double each = static_cast<double>(now() - begun) / static_cast<double>(bytes);
    for (std::size_t i = 0; i < all.count; ++i)
        if (!divided.is_of_driver(i))
            record_copy(name_copy(all.bytes[i]), !divided.at(i).is_to_host, all.bytes[i],
                        static_cast<std::uint64_t>(each * static_cast<double>(all.bytes[i])));
    return outcome;
}

template <class Copy>
result copy(const batch& all, stream on, std::size_t* failed, Copy by_driver) {
    const bool is_legacy = reinterpret_cast<std::uintptr_t>(on) <= 1;  // refused
    if (is_legacy || !all.has_large() || !all.is_sound()) return by_driver(all, failed);
    division divided(all, on);
    if (!divided.find()) return by_driver(all, failed);
    part rest(all);
    if (!rest) return by_driver(all, failed);
    if (!settings().changes.staged) return record(all, divided, failed, by_driver);
    for (std::size_t i = 0; i < all.count; ++i)
        if (divided.is_of_driver(i)) rest.add(i);
    result outcome = rest.run(failed, by_driver);
    for (std::size_t i = 0; i < all.count && outcome == driver::success; ++i) {
        if (divided.is_of_driver(i)) continue;
        outcome = stage_pageable_or(divided.at(i), [&] {
            part alone(all);
            if (!alone) return driver::out_of_memory;
            alone.add(i);
            return alone.run(failed, by_driver);
        });
    }
    return outcome;
}

template <auto* Replacement>
result first_version(const batch& all, stream on, stream asked, std::size_t* failed) {
    return copy(all, on, failed, [&](const batch& in, std::size_t* index) {
        return real<Replacement>()(in.to, in.from, in.bytes, in.count, in.attributes, in.firsts,
                                   in.kinds, index, asked);
    });
}

template <auto* Replacement>
result second_version(const batch& all, stream on, stream asked) {
    return copy(all, on, nullptr, [&](const batch& in, std::size_t*) {
        return real<Replacement>()(in.to, in.from, in.bytes, in.count, in.attributes, in.firsts,
                                   in.kinds, asked);
    });
}

}  // namespace

result cuMemcpyBatchAsync(const device_pointer* to, const device_pointer* from,
                          const std::size_t* bytes, std::size_t count,
                          const batch_attributes* attributes, const std::size_t* firsts,
                          std::size_t kinds, std::size_t* failed, stream on) {
    return first_version<cuMemcpyBatchAsync>({to, from, bytes, count, attributes, firsts, kinds},
                                             on, on, failed);
}

result cuMemcpyBatchAsync_ptsz(const device_pointer* to, const device_pointer* from,
                               const std::size_t* bytes, std::size_t count,
                               const batch_attributes* attributes, const std::size_t* firsts,
                               std::size_t kinds, std::size_t* failed, stream on) {
    return first_version<cuMemcpyBatchAsync_ptsz>(
        {to, from, bytes, count, attributes, firsts, kinds}, own(on), on, failed);
}

result cuMemcpyBatchAsync_v2(const device_pointer* to, const device_pointer* from,
                             const std::size_t* bytes, std::size_t count,
                             const batch_attributes* attributes, const std::size_t* firsts,
                             std::size_t kinds, stream on) {
    return second_version<cuMemcpyBatchAsync_v2>(
        {to, from, bytes, count, attributes, firsts, kinds}, on, on);
}

result cuMemcpyBatchAsync_v2_ptsz(const device_pointer* to, const device_pointer* from,
                                  const std::size_t* bytes, std::size_t count,
                                  const batch_attributes* attributes, const std::size_t* firsts,
                                  std::size_t kinds, stream on) {
    return second_version<cuMemcpyBatchAsync_v2_ptsz>(
        {to, from, bytes, count, attributes, firsts, kinds}, own(on), on);
}

}  // namespace attach
