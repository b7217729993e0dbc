#include "watari/gemm/product/files.hpp"

#include "watari/blas/libraries.hpp"
#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"
#include "watari/files/direct_unit.hpp"
#include "watari/gemm/defaults.hpp"
#include "watari/gemm/product/factor.hpp"
#include "watari/storage/verify/sector.hpp"

#include <memory>
#include <numeric>
#include <optional>
#include <string>

namespace watari::gemm {

namespace {

constexpr std::size_t largest_unit = 4096;  ///< bytes, of direct I/O
/// Bytes of a request for objects, at most, with what lies between rows: threads have many of them
/// in flight.
constexpr std::size_t most_of_object = std::size_t{1} << 20;

/// Whether every row of every tile begins and ends at a multiple of `unit` bytes.
bool is_aligned(const files::matrix_file& m, const options& how, std::size_t unit) {
    const std::size_t element = element_bytes(how.type);
    return m.offset % unit == 0 && m.columns * element % unit == 0 &&
           how.tile * element % unit == 0;
}

placement placement_of(const file_product& p, const files::matrix_file& m, std::size_t unit) {
    placement where = placement::rows_at({m.rows, m.columns, p.how.tile}, element_bytes(p.how.type),
                                         m.offset, unit);
    where.half = m.half;
    if (in_objects(m)) {
        where.merged = most_of_object;
        where.gap = p.gap;
    }
    if (m.half) where.row_bytes = m.columns * half_bytes;
    if (!m.chunks.empty()) {
        where.chunk_rows = m.chunk_rows;
        where.chunk_columns = m.chunk_columns;
        where.row_bytes = m.chunk_columns * where.stored_element();
    }
    where.transposed = (&m == &p.a && p.transpose_a) || (&m == &p.b && p.transpose_b);
    return where;
}

storage::store_options options_of(const file_product& p, const files::matrix_file& m,
                                  bool writable) {
    if (in_objects(m))
        return {.engine = "s3",
                .who = p.how.processor,
                .objects = m.paths(),
                .merged = most_of_object,
                .gap = p.gap,
                .threads = movers_of(p.how)};
    const std::size_t edge = p.how.tile * element_bytes(p.how.type);
    const bool grid = !m.chunks.empty();
    return {.engine = p.how.engine,
            .who = p.how.processor,
            .files = {.paths = m.paths(),
                      .known = {writable ? p.opened_c : -1},
                      .writable = writable,
                      .cache = storage::cache_of(
                          p.how.engine, p.direct && files::direct_unit_of(m.paths().front()) > 0),
                      .padded = !writable,
                      .apart = grid},
            // for each matrix's controller: A and B are read at once, in turn with writes of C
            .threads = std::max<std::size_t>(1, p.how.threads / 2),
            .requests = movers_of(p.how) * depth_of(p.how),
            .largest_block = std::max(edge + 2 * largest_unit, most_block)};
}

/// Opens the store of a matrix. Rows of C that share sectors with their neighbours are written
/// through the page cache. Old C is read the same way: its rows must lie in memory as those of C.
std::unique_ptr<storage::open_store> open_source(const file_product& p, const files::matrix_file& m,
                                                 bool as_c) {
    storage::store_options wanted = options_of(p, m, &m == &p.c);
    if (as_c && !is_aligned(m, p.how, std::max(storage::sector_bytes, storage::unit_of(wanted)))) {
        wanted.engine = "posix";
        wanted.files.cache = files::cache_state::cold;
    }
    return std::make_unique<storage::open_store>(wanted);
}

/// A matrix: its store, and the placement of its tiles. `as_c`: it is C, old or new.
struct reached {
    std::unique_ptr<storage::open_store> from;
    placement where;

    reached(const file_product& p, const files::matrix_file& m, bool as_c)
        : from(open_source(p, m, as_c)), where(placement_of(p, m, from->unit())) {}
};

/// The placements of A, B and C before C exists. Rows of C are whole units, or are written through
/// the page cache: in both cases bytes and slots are those of unit 1.
struct placements {
    placement a, b, c;

    explicit placements(const file_product& p)
        : a(placement_of(p, p.a, storage::unit_of(options_of(p, p.a, false)))),
          b(placement_of(p, p.b, storage::unit_of(options_of(p, p.b, false)))),
          c(placement_of(p, p.c, 1)) {}
};

/// Requests for objects cover more tiles than those for files, each of which costs less.
tiles_per_request wanted_tiles(const file_product& p, const placement& a, const placement& b,
                               const placement& c) {
    tiles_per_request result = tiles_per_request_of(p.how, a, b, c);
    if (in_objects(p.a)) result.a = tiles_in_request(a, most_of_object);
    if (in_objects(p.b)) result.b = tiles_in_request(b, most_of_object);
    return result;
}

/// Throws usage_error unless chunks are whole tiles.
void require_whole_tiles(const file_product& p) {
    for (const files::matrix_file* m : {&p.a, &p.b})
        for (const auto& [chunk, side] :
             {std::pair(m->chunk_rows, m->rows), std::pair(m->chunk_columns, m->columns)})
            if (!m->chunks.empty() && chunk < side && chunk % p.how.tile != 0)
                throw usage_error(m->path + ": chunks of " + std::to_string(m->chunk_rows) + " x " +
                                  std::to_string(m->chunk_columns) + " are no whole tiles of " +
                                  std::to_string(p.how.tile));
}

/// Bytes of the fast memory for slots: the rest is for tiles that become floats.
std::size_t bytes_for_slots(const file_product& p, const placement& a, const placement& b) {
    const std::size_t landings = movers_of(p.how) * landing_bytes({a, b});
    return p.how.fast_memory - std::min(p.how.fast_memory, landings);
}

/// The cost of reading a factor, in bytes: a request for an object counts as the gap that is read
/// to save one (objects/plan.hpp).
schedule_request::cost cost_of(const placement& where) {
    return [where](const std::vector<run_of_tiles>& runs) {
        if (where.merged == 0) return static_cast<double>(where.request_bytes(runs));
        const traffic all = where.traffic_of(runs);
        return static_cast<double>(all.bytes + all.requests * where.gap);
    };
}

schedule schedule_of(const file_product& p, std::size_t slot_bytes, const placement& a,
                     const placement& b, const placement& c) {
    const tiles_per_request wanted = wanted_tiles(p, a, b, c);
    const bool by_cost = in_objects(p.a) || in_objects(p.b);
    return schedule({.size = shape_of(p),
                     .tile = p.how.tile,
                     .alpha_is_zero = p.how.alpha == 0,
                     .beta_is_zero = p.how.beta == 0,
                     .fast_bytes = bytes_for_slots(p, a, b),
                     .slot_bytes = slot_bytes,
                     .which = p.how.schedule,
                     .tiles_per_request = wanted,
                     .store_bound = is_store_bound(p.how, true),
                     .narrow_a = in_objects(p.a),
                     .narrow_b = in_objects(p.b),
                     .cost_a = by_cost ? cost_of(a) : nullptr,
                     .cost_b = by_cost ? cost_of(b) : nullptr});
}

}  // namespace

std::size_t tile_within_chunks(const file_product& p, std::size_t edge) {
    std::size_t common = 0;
    for (const files::matrix_file* m : {&p.a, &p.b}) {
        if (m->chunk_rows < m->rows) common = std::gcd(common, m->chunk_rows);
        if (m->chunk_columns < m->columns) common = std::gcd(common, m->chunk_columns);
    }
    if (common == 0) return edge;
    for (std::size_t tile = std::min(edge, common); tile >= least_tile; --tile)
        if (common % tile == 0) return tile;
    throw file_error("chunks of A and B have no common tile of " + std::to_string(least_tile) +
                     " to " + std::to_string(edge) +
                     " elements: choose chunks that are multiples of " +
                     std::to_string(least_tile));
}

shape shape_of(const file_product& p) {
    using files::shape_text;
    const files::matrix_file a = files::as_used(p.a, p.transpose_a);
    const files::matrix_file b = files::as_used(p.b, p.transpose_b);
    const bool reads_c = p.how.beta != 0;
    if (a.columns != b.rows || p.c.rows != a.rows || p.c.columns != b.columns ||
        (reads_c && (p.c_read.rows != p.c.rows || p.c_read.columns != p.c.columns)))
        throw usage_error("shapes do not fit: A " + shape_text(a) + ", B " + shape_text(b) +
                          ", C " + shape_text(p.c) +
                          (reads_c ? ", old C " + shape_text(p.c_read) : ""));
    for (const files::matrix_file* each : {&p.a, &p.b, &p.c, &p.c_read})
        if (each->offset % (each->half ? half_bytes : element_bytes(p.how.type)) != 0)
            throw usage_error(each->path + ": an element begins at byte " +
                              std::to_string(each->offset) + ", not at a multiple of its size");
    return {a.rows, b.columns, a.columns};
}

std::size_t slot_bytes(const file_product& p) {
    shape_of(p);
    const auto [a, b, c] = placements(p);
    return slot_bytes({a, b, c});
}

foresight plan(const file_product& p) {
    const shape size = shape_of(p);
    require_factors(p.how);
    require_whole_tiles(p);
    const auto [a, b, c] = placements(p);
    return foresee(schedule_of(p, slot_bytes({a, b, c}), a, b, c), a, b, c,
                   lower_bound_bytes(size, element_bytes(p.how.type), p.how.fast_memory));
}

void require_machine(const file_product& p) {
    require_room_for(p.how);
    require_addresses_for(p.how);
    for (const files::matrix_file* each : {&p.a, &p.b})
        storage::require_engine(options_of(p, *each, false));
    const bool on_gpu = p.how.processor.is_gpu();
    const blas::library_facts library = on_gpu ? blas::cublas_library() : blas::openblas_library();
    if (!library.why_not.empty())
        throw unsupported((on_gpu ? "cuBLAS: " : "OpenBLAS: ") + library.why_not);
}

pipeline_counts multiply(const file_product& p) {
    const foresight ahead = plan(p);
    require_room_for(p.how);  // opening the stores checks the engine, pipeline checks the BLAS
    const reached a(p, p.a, false), b(p, p.b, false), c(p, p.c, true);
    std::optional<reached> c_read;
    if (p.how.beta != 0) c_read.emplace(p, p.c_read, true);
    const std::size_t slot = c_read ? slot_bytes({a.where, b.where, c.where, c_read->where})
                                    : slot_bytes({a.where, b.where, c.where});
    const gemm::schedule schedule = schedule_of(p, slot, a.where, b.where, c.where);
    if (schedule.steps() == 0) return {};
    pipeline work(
        {.schedule = &schedule,
         .a = {a.from.get(), a.where},
         .b = {b.from.get(), b.where},
         .c_read = {c_read ? c_read->from.get() : nullptr, c_read ? c_read->where : placement{}},
         .c = {c.from.get(), c.where},
         .alpha = p.how.alpha,
         .beta = p.how.beta,
         .type = p.how.type,
         .who = p.how.processor,
         .threads = static_cast<int>(cpu::own_cpus().size()),
         .movers = movers_of(p.how),
         .depth = depth_of(p.how),
         .slot_bytes = slot,
         .finished = p.finished,
         .progress = p.progress,
         .interval = p.interval});
    pipeline_counts counts = work.run();
    if (p.finished.empty() && !counts.stopped) require_foreseen(ahead, counts);
    for (const reached* each : {&a, &b, &c})
        if (!each->from->notice().empty()) counts.notes.push_back(each->from->notice());
    return counts;
}

}  // namespace watari::gemm
