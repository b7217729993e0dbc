#include "watari/gemm/product/product.hpp"

#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"
#include "watari/gemm/defaults.hpp"
#include "watari/gemm/product/factor.hpp"
#include "watari/gemm/product/product_checks.hpp"
#include "watari/objects/object_set.hpp"
#include "watari/storage/engines/engine.hpp"

#include <algorithm>
#include <charconv>

namespace watari::gemm {

namespace {

constexpr std::size_t tile_most = std::size_t{1} << 20;  ///< elements; limit of a journal's tile

files::npy_matrix as_multiplied(files::npy_matrix matrix, bool transposed) {
    matrix.where = files::as_used(matrix.where, transposed);
    return matrix;
}

const char* in_words(bool transposed) { return transposed ? " transposed" : ""; }

/// Whether a matrix is known to have changed; a server that does not answer knows nothing.
bool differs_now(const files::npy_matrix& matrix) try {
    return factor_changed(matrix);
} catch (const error&) {
    return false;
}

void require_file_engine(const std::string& engine) {
    if (storage::in_host_memory(engine))
        throw usage_error("engine " + engine +
                          " is for matrices in memory, and these are in files");
    if (storage::engine_named(engine).of_objects)
        throw usage_error("engine " + engine +
                          " reads objects by itself: name an engine for files");
}

}  // namespace

product::product(const npy_product& wanted)
    : wanted_(wanted),
      a_(wanted.a_at ? *wanted.a_at : files::read_npy(wanted.a)),
      b_(wanted.b_at ? *wanted.b_at : files::read_npy(wanted.b)) {
    output_ = real_path(wanted.c);
    journal_ = files::journal_path(output_);
    job_.transpose_a = wanted.transpose_a != a_.by_columns;
    job_.transpose_b = wanted.transpose_b != b_.by_columns;
    const files::npy_matrix a = as_multiplied(a_, job_.transpose_a);
    const files::npy_matrix b = as_multiplied(b_, job_.transpose_b);
    require_product(
        a, b,
        {wanted.a, wanted.b, wanted.c, in_words(wanted.transpose_a), in_words(wanted.transpose_b)});
    require_output(output_, a_, b_, wanted.c);
    if (wanted.beta != 0) old_ = read_old(wanted.c, a, b, wanted.plain);
    job_.a = a_.where;
    job_.b = b_.where;
    for (const files::matrix_file* each : {&job_.a, &job_.b})
        if (in_objects(*each)) job_.gap = objects::suited_gap(each->paths().front());
    job_.c = {files::partial_path(output_), wanted.plain ? 0 : files::npy_header_bytes,
              a.where.rows, b.where.columns};
    if (old_) job_.c_read = old_->where;
    options& how = job_.how;
    how.processor = wanted.who.value_or(device::count() > 0 ? gpu_number(0) : the_cpu);
    how.engine = wanted.engine.empty() ? default_engine(how.processor) : wanted.engine;
    require_file_engine(how.engine);
    how.threads = wanted.threads > 0 ? wanted.threads
                                     : default_threads(how.engine, cpu::own_cpus().size(), true);
    how.type = a_.type;
    how.fast_memory =
        wanted.fast_memory > 0 ? wanted.fast_memory : default_fast_memory(how.processor);
    how.alpha = wanted.alpha;
    how.beta = wanted.beta;
    job_.interval = wanted.interval;
    how.tile = wanted.tile > 0 ? wanted.tile : suited_tile();
    how.depth =
        default_depth(how.engine, true, layout::row_major, how.tile, element_bytes(how.type));
    ahead_ = plan(job_);
    require_machine(job_);
}

/// Returns the tile of a partial file, which a resumed run keeps; else the default tile, with the
/// padding that a disk's unit requires around its rows.
std::size_t product::suited_tile() const {
    if (!wanted_.fresh && files::is_there(files::partial_path(output_)))
        if (const auto earlier = journal::read(journal_); earlier && !earlier->tiles.empty())
            for (const auto& [name, value] : earlier->product) {
                std::size_t edge = 0;
                std::from_chars(value.data(), value.data() + value.size(), edge);
                if (name == "tile") return std::clamp<std::size_t>(edge, 1, tile_most);
            }
    const std::size_t edge =
        default_tile(how().fast_memory, [job = job_](std::size_t edge) mutable {
            job.how.tile = edge;
            return slot_bytes(job);
        });
    return tile_within_chunks(job_, edge);
}

std::uint64_t product::bytes() const {
    const files::matrix_file& c = job_.c;
    return c.offset + std::uint64_t{c.rows} * c.columns * element_bytes(how().type);
}

std::string product::header() const {
    return wanted_.plain ? "" : files::npy_header(job_.c.rows, job_.c.columns, how().type);
}

std::vector<const files::npy_matrix*> product::read() const {
    std::vector<const files::npy_matrix*> all{&a_, &b_};
    if (old_) all.push_back(&*old_);
    return all;
}

std::size_t product::completed_before() {
    if (wanted_.fresh || !files::is_there(files::partial_path(output_))) return 0;
    return tiles_left(files::partial_file(output_)).size();
}

product_counts product::run(const product_progress& progress) {
    last_run_ = stage::not_begun;
    notes_.clear();
    if (!wanted_.fresh && finished_already()) {
        last_run_ = stage::finished;
        return {.tiles = tiles(), .finished_before = tiles()};
    }
    require_room();
    files::partial_file file(output_);
    completed_tiles before;
    try {
        before = tiles_left(file);
    } catch (...) {
        if (file.state().bytes == 0) file.remove();  // it was made just now
        throw;
    }
    std::optional<journal> done;
    const auto leave = [&] {
        finished_ = done ? done->tiles().size() : before.size();
        if (finished_ > 0) return;
        file.remove();
        if (done) done->remove();
    };
    try {
        done.emplace(journal_, journal::contents{
                                   .inode = file.inode(), .product = who_it_is(), .tiles = before});
        file.allocate(bytes(), header(), before.empty());
        product_counts counts = make(file, *done, progress);
        if (counts.stopped) leave();
        return counts;
    } catch (...) {
        leave();
        throw;
    }
}

std::string product::kept() const {
    if (last_run_ == stage::finished) return wanted_.c + " is finished";
    if (last_run_ == stage::not_begun) return "";
    const std::string old = files::is_there(output_) ? wanted_.c + " is unchanged; " : "";
    if (finished_ == 0) return old + "no tile was completed";
    const std::string some =
        old + std::to_string(finished_) + " of " + std::to_string(tiles()) + " tiles are completed";
    for (const files::npy_matrix* matrix : read())
        if (differs_now(*matrix))
            return some + ", of another " + matrix->where.path + " than there is now; " +
                   begin_anew;
    return some + ": the same product resumes from there";
}

}  // namespace watari::gemm
