#include "watari/gemm/product/files.hpp"

#include "watari/blas/libraries.hpp"
#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"
#include "watari/files/direct_unit.hpp"
#include "watari/storage/verify/sector.hpp"

#include <memory>
#include <optional>
#include <string>

namespace watari::gemm {

namespace {

constexpr std::size_t largest_unit = 4096;  ///< bytes, of direct I/O

/// Whether every row of every tile begins and ends at a multiple of `unit` bytes.
bool is_aligned(const files::matrix_file& m, const options& how, std::size_t unit) {
    const std::size_t element = element_bytes(how.type);
    return m.offset % unit == 0 && m.columns * element % unit == 0 &&
           how.tile * element % unit == 0;
}

placement placement_of(const file_product& p, const files::matrix_file& m, std::size_t unit) {
    placement where = placement::rows_at({m.rows, m.columns, p.how.tile}, element_bytes(p.how.type),
                                         m.offset, unit);
    where.transposed = (&m == &p.a && p.transpose_a) || (&m == &p.b && p.transpose_b);
    return where;
}

storage::store_options options_of(const file_product& p, const files::matrix_file& m,
                                  bool writable) {
    const std::size_t edge = p.how.tile * element_bytes(p.how.type);
    return {.engine = p.how.engine,
            .who = p.how.processor,
            .files = {.paths = {m.path},
                      .known = {writable ? p.opened_c : -1},
                      .writable = writable,
                      .cache = storage::cache_of(p.how.engine,
                                                 p.direct && files::direct_unit_of(m.path) > 0),
                      .padded = !writable},
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

schedule schedule_of(const file_product& p, std::size_t slot_bytes,
                     const tiles_per_request& wanted) {
    return schedule({.size = shape_of(p),
                     .tile = p.how.tile,
                     .alpha_is_zero = p.how.alpha == 0,
                     .beta_is_zero = p.how.beta == 0,
                     .fast_bytes = p.how.fast_memory,
                     .slot_bytes = slot_bytes,
                     .which = p.how.schedule,
                     .tiles_per_request = wanted,
                     .store_bound = is_store_bound(p.how, true)});
}

}  // namespace

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
        if (each->offset % element_bytes(p.how.type) != 0)
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
    const auto [a, b, c] = placements(p);
    return foresee(schedule_of(p, slot_bytes({a, b, c}), tiles_per_request_of(p.how, a, b, c)), a,
                   b, c, lower_bound_bytes(size, element_bytes(p.how.type), p.how.fast_memory));
}

void require_machine(const file_product& p) {
    require_room_for(p.how);
    require_addresses_for(p.how);
    storage::require_engine(options_of(p, p.a, false));
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
    const gemm::schedule schedule =
        schedule_of(p, slot, tiles_per_request_of(p.how, a.where, b.where, c.where));
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
