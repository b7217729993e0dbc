#include "gemm.hpp"

#include "store.hpp"
#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"
#include "watari/files/page_cache.hpp"
#include "watari/files/uring/uring.hpp"
#include "watari/measure/clock.hpp"
#include "watari/storage/backends/modelled.hpp"
#include "watari/storage/backends/ram.hpp"
#include "watari/storage/nvme/queue_memory.hpp"
#include "watari/storage/stores/modelled_store.hpp"
#include "watari/storage/stores/rate.hpp"

#include <algorithm>
#include <optional>

namespace watari::gemm {

namespace {

constexpr std::size_t full_depth = 32;  ///< requests for a disk's best rate, with large blocks
constexpr std::size_t full_memory_depth = 64;  ///< for memory's best rate, of each of two movers

/// Bytes of a request for a part of a stored tile, at most: for memory that a GPU reads through
/// queues, the bytes that suit its copy engine.
std::size_t most_of_tile(const parameters& p) {
    return p.engine == "gpu" && p.store != "file" ? storage::large_run : most_block;
}

bool is_modelled(const parameters& p) { return storage::is_modelled(p.store); }

/// The product whose C has only the block rows that are computed.
parameters in_part(parameters p) {
    if (p.rows == 0) return p;
    if (p.schedule != schedule_kind::naive)
        throw usage_error("rows=" + std::to_string(p.rows) +
                          " is a part of schedule=naive: in others, blocks of rows share reads");
    p.size.m = std::min(p.size.m, p.rows * p.tile);
    return p;
}

placement packed(const parameters& p, matrix which) {
    return placement::packed(tiling_of(which, p.size, p.tile), element_bytes(p.type), p.layout,
                             most_of_tile(p));
}

/// Whether tiles come from files. Memory is as fast with small requests, and a tile that comes
/// alone is multiplied earlier.
bool reads_files(const parameters& p) {
    return p.store == "file" || !(is_queue(p) || storage::in_host_memory(p.engine));
}

schedule schedule_of(const parameters& p, const placement& a, const placement& b,
                     const placement& c) {
    return schedule({.size = p.size,
                     .tile = p.tile,
                     .alpha_is_zero = p.alpha == 0,
                     .beta_is_zero = p.beta == 0,
                     .fast_bytes = p.fast_memory,
                     .slot_bytes = slot_bytes({a, b, c}),
                     .which = p.schedule,
                     .tiles_per_request =
                         reads_files(p) ? tiles_per_request_of(p, a, b, c) : tiles_per_request{},
                     .store_bound = is_store_bound(p, p.store != "ram")});
}

/// The matrices, their schedule, and the open store of their tiles.
struct case_state {
    explicit case_state(const parameters& p)
        : on_files(reads_files(p)),
          matrices({.size = p.size,
                    .type = p.type,
                    .tile = p.tile,
                    .layout = p.layout,
                    .most = most_of_tile(p),
                    .medium = !on_files           ? medium::memory
                              : p.store != "file" ? medium::memory_file
                                                  : medium::file,
                    .folders = p.folders,
                    .kind = p.engine == "pinned"    ? memory::kind::pinned
                            : p.engine == "managed" ? memory::kind::managed
                                                    : memory::kind::pageable,
                    .oversubscribe = p.oversubscribe}),
          schedule(schedule_of(p, matrices.where(matrix::a), matrices.where(matrix::b),
                               matrices.where(matrix::c))),
          direct(p.store == "file"),
          // a disk is read and written in turn: both directions share the requests in flight
          tiles(options(p, p.engine, p.processor, (direct ? 1 : 2) * queue_movers * depth_of(p),
                        largest_block())) {}

    storage::store_options options(const parameters& p, const std::string& engine, processor who,
                                   std::size_t requests, std::size_t block) const {
        files::file_options files{.writable = true, .cache = storage::cache_of(engine, direct)};
        if (on_files) {
            files.paths = matrices.paths();
            files.known = matrices.descriptors();
            files.stripe = matrices.stripe();
        }
        storage::store_options wanted{.engine = engine,
                                      .who = who,
                                      .files = files,
                                      .memory = matrices.memory(),
                                      .threads = p.threads,
                                      .requests = requests,
                                      .largest_block = block};
        if (!is_modelled(p)) return wanted;
        const storage::modelled_disks disks = storage::disks_of(p.store, p.ssd, p.files);
        if (on_files)
            wanted.disks = std::make_shared<storage::disk_array>(disks);
        else
            wanted.behind = storage::make_modelled(storage::make_ram(matrices.memory()), disks);
        return wanted;
    }

    /// Bytes of the largest request for tiles.
    std::size_t largest_block() const {
        std::size_t block = 0;
        for (const matrix which : {matrix::a, matrix::b, matrix::c})
            block = std::max(
                block, matrices.where(which).largest_block(schedule.most_tiles_per_request(which)));
        return block;
    }

    bool on_files;
    store matrices;
    gemm::schedule schedule;
    bool direct;
    storage::open_store tiles;
};

void require_sense(const parameters& p) {
    if (p.threads < 1 || p.depth < 1 || p.samples < 1)
        throw usage_error("threads, depth and samples are 1 or more");
    if (p.store != "file" && p.store != "ram" && !is_modelled(p))
        throw usage_error("no store is called '" + p.store + "'");
    if (p.files != 1 && !is_modelled(p))
        throw usage_error("files=" + std::to_string(p.files) +
                          ": modelled SSDs of store=modelled:NAME; folder=A:B has a file in each");
    if (storage::in_host_memory(p.engine) && p.store != "ram")
        throw unsupported("engine " + p.engine + " has its matrices in memory: store=ram");
    require_factors(p);
}

/// The best rates of the store, and the rate of the BLAS, from which the floor of the time follows.
struct floors {
    double read, write;  ///< bytes/s
    double flops;        ///< 1/s
};

/// Empties the page cache, so that direct writes need not first drop the pages that filling or
/// verification left there.
void empty_cache(const case_state& here, const storage::open_store& by) {
    if (here.direct && by.files()) files::prepare_page_cache(*by.files());
}

/// Mean of two measurements, each for half of the bytes and flops.
floors between(const floors& a, const floors& b) {
    const auto mean = [](double x, double y) { return x > 0 && y > 0 ? 2 / (1 / x + 1 / y) : 0; };
    return {mean(a.read, b.read), mean(a.write, b.write), mean(a.flops, b.flops)};
}

/// Measures the floors. Files are measured by the fastest engine, independent of the case's engine.
floors measure_floors(const parameters& p, const case_state& here, pipeline& work) {
    const bool own = !here.on_files;
    const bool ring = files::uring_absent_reason().empty(), disk = ring && here.direct;
    const processor who = own || disk ? p.processor : the_cpu;
    const std::size_t threads = own ? movers_of(p) : disk ? 1 : cpu::own_cpus().size();
    const std::size_t depth = own ? full_memory_depth : full_depth;
    const storage::open_store from(here.options(p,
                                                own    ? p.engine
                                                : ring ? "uring"
                                                       : "posix",
                                                who, threads * depth, most_block));
    const placement& c = here.matrices.where(matrix::c);
    empty_cache(here, from);
    floors measured{};
    measured.read = rate(from, files::direction::read, {0, c.first}, who, threads, depth);
    measured.write = rate(from, files::direction::write, {c.first, here.matrices.bytes() - c.first},
                          who, threads, depth);
    measured.flops = work.blas_rate();
    return measured;
}

void record_floors(measure::trial& into, const floors& measured, const pipeline_counts& counts,
                   double flops) {
    const auto over = [](double work, double rate) { return rate > 0 ? work / rate : 0; };
    const double store = over(static_cast<double>(counts.read), measured.read) +
                         over(static_cast<double>(counts.written), measured.write);
    const double arithmetic = over(flops, measured.flops);
    into.quantities["store_read_bytes_per_s"] = {measured.read, "B/s"};
    into.quantities["store_write_bytes_per_s"] = {measured.write, "B/s"};
    into.quantities["blas_flops_per_s"] = {measured.flops, "1/s"};
    into.quantities["store_floor_s"] = {store, "s"};
    into.quantities["blas_floor_s"] = {arithmetic, "s"};
    into.quantities["floor_s"] = {std::max(store, arithmetic), "s"};
}

/// Records the bytes that were moved, and the forecast of the schedule.
void record_counts(measure::trial& into, const parameters& p, const foresight& ahead,
                   const pipeline_counts& counts) {
    into.quantities["bytes_read"] = {static_cast<double>(counts.read), "B"};
    into.quantities["bytes_written"] = {static_cast<double>(counts.written), "B"};
    into.quantities["bytes_planned"] = {static_cast<double>(ahead.read + ahead.written), "B"};
    into.quantities["lower_bound_bytes"] = {ahead.lower_bound, "B"};
    into.quantities["block_rows"] = {static_cast<double>(ahead.block_rows), "1"};
    into.quantities["block_columns"] = {static_cast<double>(ahead.block_columns), "1"};
    into.quantities["blas_threads"] = {
        p.processor.is_gpu() ? 1.0 : static_cast<double>(cpu::own_cpus().size()), "1"};
}

/// Records the part of the product that was computed, and the seconds of one of its block rows.
void record_part(measure::trial& into, const parameters& whole, const parameters& part) {
    if (part.schedule != schedule_kind::naive || into.host_s.empty() || whole.size.m == 0) return;
    const auto rows = static_cast<double>(part.size.m);
    double seconds = 0;
    for (const double each : into.host_s) seconds += each / static_cast<double>(into.host_s.size());
    into.quantities["share"] = {rows / static_cast<double>(whole.size.m), "1"};
    into.quantities["block_row_s"] = {
        seconds * static_cast<double>(std::min(part.tile, part.size.m)) / rows, "s"};
}

pipeline_options pipeline_of(const parameters& p, const case_state& here) {
    const placement &a = here.matrices.where(matrix::a), &b = here.matrices.where(matrix::b),
                    &c = here.matrices.where(matrix::c);
    return {.schedule = &here.schedule,
            .a = {&here.tiles, a},
            .b = {&here.tiles, b},
            .c_read = {&here.tiles, c},
            .c = {&here.tiles, c},
            .alpha = p.alpha,
            .beta = p.beta,
            .type = p.type,
            .who = p.processor,
            .threads = static_cast<int>(cpu::own_cpus().size()),
            .movers = movers_of(p),
            .depth = depth_of(p),
            .slot_bytes = slot_bytes({a, b, c})};
}

}  // namespace

foresight plan(const parameters& given) {
    require_sense(given);
    const parameters p = in_part(given);
    const placement a = packed(p, matrix::a), b = packed(p, matrix::b), c = packed(p, matrix::c);
    return foresee(schedule_of(p, a, b, c), a, b, c,
                   lower_bound_bytes(p.size, element_bytes(p.type), p.fast_memory));
}

measure::trial run(const parameters& given) {
    const foresight ahead = plan(given);
    const parameters p = in_part(given);
    require_room_for(p);
    require_addresses_for(p);
    case_state here(p);
    if (const std::size_t unit = here.tiles.unit(); here.matrices.where(matrix::a).unit % unit != 0)
        throw unsupported("tile=" + std::to_string(p.tile) + ": " + here.matrices.paths().front() +
                          " is read in whole units of " + std::to_string(unit) +
                          " bytes; choose a tile with rows of whole units");
    pipeline work(pipeline_of(p, here));
    floors measured = measure_floors(p, here, work);

    measure::trial result;
    pipeline_counts counts;
    for (std::size_t i = 0; i < p.samples; ++i) {
        here.matrices.fill_c();
        empty_cache(here, here.tiles);
        if (i == 0) result.first_sample = measure::now();
        counts = work.run();
        result.host_s.push_back(counts.seconds);
        result.series["waited_s"].push_back(counts.waited);
        result.wrong_elements += here.matrices.wrong_elements(p.alpha, p.beta);
    }
    // the rate of a disk wanders, in a virtual machine by a third from minute to minute
    if (p.store == "file") measured = between(measured, measure_floors(p, here, work));
    require_foreseen(ahead, counts);
    const double flops = here.schedule.multiplies() ? p.size.flops() : 0;
    result.flops_per_sample = flops;
    result.bytes_per_sample = static_cast<double>(counts.read + counts.written);
    record_floors(result, measured, counts, flops);
    record_counts(result, p, ahead, counts);
    record_part(result, given, p);
    result.quantities["seed"] = {store::seed, "1"};
    result.notes.push_back(counts.blas);
    result.notes.insert(result.notes.end(), counts.notes.begin(), counts.notes.end());
    if (here.on_files && p.store != "file")
        result.notes.push_back(
            "engine " + p.engine + " reads files: the store is one in memory" +
            (is_modelled(p) ? ", and requests end when an SSD would end them" : ""));
    if (const std::string both = here.matrices.on_one_device(); !both.empty())
        result.notes.push_back(both + " are on one device: its rate is shared");
    if (!here.tiles.notice().empty()) result.notes.push_back(here.tiles.notice());
    return result;
}

}  // namespace watari::gemm
