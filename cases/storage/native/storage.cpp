// Case `storage`. A sample moves `requests` blocks between a store and memory, each to or from its
// own location in an array. Bytes: requests x block. No flops. A sample of writes ends when they
// are durable. Every block is verified after each sample, outside its time: blocks that were read
// at their location, written blocks by reading them back (files by pread).
#include "storage.hpp"
#include "arrivals.hpp"
#include "blocks.hpp"
#include "engines.hpp"
#include "own_data.hpp"
#include "source.hpp"
#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"
#include "watari/files/page_cache.hpp"
#include "watari/measure/clock.hpp"
#include "watari/measure/histogram.hpp"
#include "watari/measure/median.hpp"
#include "watari/memory/room.hpp"
#include "watari/storage/engines/engine.hpp"
#include "watari/storage/verify/sector.hpp"

#include <sys/resource.h>
#include <algorithm>
#include <bit>
#include <cstdio>
#include <numeric>
#include <optional>

namespace watari::cases {

namespace {

using storage::sector_bytes;

/// Seconds of CPU time of this process, in user space and in the kernel.
double cpu_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void require_sense(const storage_parameters& p, const storage::engine_row& row) {
    if (!std::has_single_bit(p.block) || p.block < sector_bytes || p.block > storage::stripe_bytes)
        throw usage_error("block: a power of two from 512 bytes to 1 MiB");
    if (p.size % p.block != 0) throw usage_error("size: must be whole blocks");
    if (p.depth < 1 || p.requests < 1 || p.threads < 1)
        throw usage_error("depth, requests and threads are 1 or more");
    if (std::any_of(p.trace.begin(), p.trace.end(),
                    [&](std::uint64_t block) { return block >= p.size / p.block; }))
        throw usage_error("trace: a block beyond the store");
    if (!p.times.empty() && p.times.size() != p.trace.size())
        throw usage_error("times: one for each block of the trace");
    // these send a list whole, or copy several blocks to a GPU at once
    if (!p.times.empty() && (row.queued || row.of_objects || (row.deep && p.processor.is_gpu())))
        throw unsupported(
            "loop=open is for engines that begin each request by itself: posix, mmap, "
            "cufile, and uring for processor=cpu");
    if (!row.deep && p.depth != 1)
        throw usage_error("engine " + std::string(row.name) +
                          " has one request in flight a thread");
}

void require_room(const storage_parameters& p) {
    const memory::kind kind = memory::local_kind(p.processor);
    const memory::demand demands[] = {{kind, p.requests * p.block, {.device = p.processor.number}}};
    memory::require_room(demands,
                         "choose fewer requests (8 x depth x threads and more by default)");
}

/// The engine that reads back what was written.
const storage::engine_row& reader(const storage_parameters& p) {
    return storage::engine_named(p.store == "file" ? "posix" : p.engine);
}

/// Reports the bytes that entered the page cache: direct I/O leaves it as it was.
void check_direct(measure::trial& into, const files::striped_files& files, std::size_t before) {
    const std::size_t after = files::cached_bytes(files);
    const std::size_t grown = after - std::min(before, after);
    into.quantities["page_cache_growth"] = {static_cast<double>(grown), "B"};
    const bool direct = files.cache() == files::cache_state::none && grown == 0;
    into.quantities["direct"] = {direct ? 1.0 : 0.0, "1"};
    if (files.cache() == files::cache_state::none && !direct)
        into.notes.push_back("direct I/O was requested, but " + bytes_text(grown) +
                             " entered the page cache");
}

/// Adds the bytes over the link and the seconds of the GPU. Each block crosses the link once, with
/// the entries of its command if the GPU submits. Copies of several threads may wait for one
/// another, so the seconds are at most those of the samples.
void tell_gpu(measure::trial& into, const storage_parameters& p, const storage::engine_row& row,
              const engines& movers) {
    if (!p.processor.is_gpu()) return;
    const std::size_t entries =
        row.queued ? sizeof(storage::submission_entry) + sizeof(storage::completion_entry) : 0;
    into.quantities["link_bytes"] = {
        static_cast<double>(p.samples * p.requests * (p.block + entries)), "B"};
    const double all = std::accumulate(into.host_s.begin(), into.host_s.end(), 0.0);
    if (const std::optional<double> busy = movers.gpu_seconds())
        into.quantities["gpu_s"] = {std::min(*busy, all), "s"};
}

void add_notes(measure::trial& into, const engines& movers, const storage_source& source) {
    for (const std::string& note : movers.notes()) into.notes.push_back(note);
    if (const std::string notice = source.store().notice(); !notice.empty())
        into.notes.push_back(notice);
    if (const std::string both = source.on_one_device(); !both.empty())
        into.notes.push_back(both + " are on one device: its rate is shared");
    for (const std::string& path : source.foreign())
        into.notes.push_back(path + " is not a test file: it has other data");
}

/// Adds the median latency of each file, and how unequal the disks behind several folders are.
/// Stripes are equal, so that the slowest disk decides.
void tell_disks(measure::trial& into, const storage_parameters& p, const storage_source& source,
                std::vector<std::vector<double>>& by_file) {
    if (by_file.size() < 2) return;
    std::vector<double> medians;
    for (std::size_t i = 0; i < by_file.size(); ++i) {
        if (by_file[i].empty()) return;
        medians.push_back(measure::median(by_file[i]));
        into.quantities["latency_p50_file_" + std::to_string(i + 1)] = {medians.back(), "s"};
    }
    const auto [fast, slow] = std::minmax_element(medians.begin(), medians.end());
    if (p.folders.size() < 2 || *slow < 1.5 * *fast) return;
    const auto path = [&](auto at) {
        return source.files()->path(static_cast<std::size_t>(at - medians.begin()));
    };
    char ratio[16];
    std::snprintf(ratio, sizeof ratio, "%.1f", *slow / *fast);
    into.notes.push_back("requests of " + path(slow) + " take " + ratio + " times as long as of " +
                         path(fast) + ": name the faster folder more than once for a larger share");
}

}  // namespace

measure::trial storage(const storage_parameters& p) {
    const storage::engine_row& row = storage::engine_named(p.engine);
    require_sense(p, row);
    if (p.processor.is_gpu()) device::use(p.processor.number);
    cpu::set_threads(p.threads);
    require_room(p);
    storage_source source(p, row);

    measure::trial result;
    blocks_in_memory blocks(p);
    const storage::order by_pattern(p.pattern, p.size / p.block, p.seed);
    const auto order = [&](std::uint64_t n) {
        return p.trace.empty() ? by_pattern(n) : p.trace[n % p.trace.size()];
    };
    blocks.choose(order, 0);
    blocks.spoil();  // touches the array: no page of it is mapped within a sample
    engines movers(p, row, p.direction, source, blocks);
    const std::vector<std::size_t> shares = movers.shares();
    std::optional<arrivals> recorded;
    if (!p.times.empty()) recorded.emplace(p, shares);
    std::optional<engines> readers;
    if (p.direction == files::direction::write)
        readers.emplace(p, reader(p), files::direction::read, source, blocks);
    if (source.files()) files::prepare_page_cache(*source.files());
    const std::size_t cached = source.files() ? files::cached_bytes(*source.files()) : 0;

    measure::histogram latency;
    std::vector<std::vector<double>> by_file(source.files() ? source.files()->count() : 0);
    double cpu = 0;
    for (std::size_t i = 0; i < p.samples; ++i) {
        const std::uint64_t generation = readers ? p.seed + i + 1 : storage::any_generation;
        const std::uint64_t first = i * p.requests;
        blocks.choose(
            [&](std::uint64_t n) {
                return order(recorded ? first + recorded->rank(n - first) : n);
            },
            first);
        readers ? blocks.write(generation) : blocks.spoil();
        if (p.cache == files::cache_state::cold) {
            movers.let_go();
            files::prepare_page_cache(*source.files());
        }
        const double before = cpu_seconds();
        if (i == 0) result.first_sample = measure::now();
        const double begun = measure::now();
        double seconds =
            movers.run(recorded ? recorded->moments(first) : std::span<const double>());
        // a schedule begins when it is made, though a busy machine starts threads later
        if (recorded) seconds = measure::now() - begun;
        if (readers) {
            const double start = measure::now();
            movers.flush();
            seconds += measure::now() - start;
        }
        cpu += cpu_seconds() - before;
        result.host_s.push_back(seconds);
        movers.record(latency);
        if (by_file.size() > 1)
            movers.each_request([&](std::uint64_t offset, double seconds) {
                by_file[source.files()->piece_at(offset, p.block).file].push_back(seconds);
            });
        if (readers) {
            blocks.spoil();
            readers->run();
        }
        result.wrong_elements += p.has_own() ? wrong_blocks(p, blocks) : blocks.wrong(generation);
        if (p.has_own() && p.cache == files::cache_state::none && source.files())
            files::prepare_page_cache(*source.files());  // the second reads were through it
        source.renew();
    }
    if (source.files()) check_direct(result, *source.files(), cached);
    result.histograms["latency"] = latency.buckets();
    add_notes(result, movers, source);
    result.quantities["cpu_s"] = {cpu, "s"};
    tell_gpu(result, p, row, movers);
    tell_disks(result, p, source, by_file);
    result.quantities["threads"] = {static_cast<double>(p.threads), "1"};
    return result;
}

}  // namespace watari::cases
