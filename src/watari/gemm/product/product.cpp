#include "watari/gemm/product/product.hpp"

#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"
#include "watari/gemm/product/product_checks.hpp"
#include "watari/gemm/product/read_back.hpp"
#include "watari/measure/clock.hpp"
#include "watari/memory/host.hpp"
#include "watari/memory/kind.hpp"
#include "watari/storage/engines/engine.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <filesystem>

namespace watari::gemm {

namespace {

constexpr std::size_t tile_unit = 128, tile_usual = 2048;  ///< elements
constexpr std::size_t slots_usual = 32;  ///< tiles that fast memory should hold at least
constexpr std::size_t tile_most = std::size_t{1} << 20;  ///< elements: nobody asks for more

/// The processor's own initiative.
std::string default_engine(processor who) { return who.is_gpu() ? "gpu" : "uring"; }

/// One a core; a GPU's queues are served by few, which never rest, and a disk wants no more.
std::size_t default_threads(const std::string& engine) {
    const std::size_t cores = cpu::own_cpus().size();
    return engine == "gpu" ? std::clamp<std::size_t>(cores / 2, 1, 4) : cores;
}

/// Requests in flight; a GPU's, of 128 KiB, such that each thread's stay in the CPU's cache.
std::size_t default_depth(const std::string& engine) {
    if (!storage::engine_named(engine).deep) return 1;
    return engine == "gpu" ? 16 : 32;
}

/// Of a GPU what is free, less what cuBLAS and the driver take; of RAM half, since the page cache,
/// other programs and OpenBLAS want some. Two binary digits of it, so that a little more or less
/// free memory leaves schedule and bits as they are.
std::size_t suited_fast_memory(processor who) {
    if (who.is_gpu()) device::use(who.number);
    const std::size_t room = who.is_gpu()
                                 ? memory::row(memory::kind::device).available(who.number) / 8 * 7
                                 : memory::host::left().bytes / 2;
    const std::size_t step = std::bit_floor(room) / 2;
    return step == 0 ? room : room / step * step;
}

files::npy_matrix as_multiplied(files::npy_matrix matrix, bool transposed) {
    matrix.where = files::as_used(matrix.where, transposed);
    return matrix;
}

const char* in_words(bool transposed) { return transposed ? " transposed" : ""; }

/// Suffix of a name whose change does not make the product another one (owner, mode, links): it is
/// only reported.
const std::string attributes = ".attributes";

std::string text(double value) {
    std::array<char, 32> digits{};
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

void add_identity(identity& into, const std::string& name, const files::npy_matrix& matrix) {
    into.emplace_back(name + ".path", matrix.where.path);
    into.emplace_back(name + ".bytes", std::to_string(matrix.state.bytes));
    into.emplace_back(name + ".changed", std::to_string(matrix.state.changed));
    into.emplace_back(name + ".inode", std::to_string(matrix.state.inode));
    into.emplace_back(name + ".sampled", std::to_string(matrix.sampled));
    into.emplace_back(name + attributes, std::to_string(matrix.state.attributes));
    into.emplace_back(name + ".shape", files::shape_text(matrix.where));
    into.emplace_back(name + ".type", files::npy_type(matrix.type));
}

void require_file_engine(const std::string& engine) {
    if (storage::in_host_memory(engine))
        throw usage_error("engine " + engine +
                          " is for matrices in memory, and these are in files");
    storage::engine_named(engine);
}

}  // namespace

product::product(const npy_product& wanted)
    : wanted_(wanted), a_(files::read_npy(wanted.a)), b_(files::read_npy(wanted.b)) {
    output_ = real_path(wanted.c);
    journal_ = files::journal_path(output_);
    const files::npy_matrix a = as_multiplied(a_, wanted.transpose_a);
    const files::npy_matrix b = as_multiplied(b_, wanted.transpose_b);
    require_product(
        a, b,
        {wanted.a, wanted.b, wanted.c, in_words(wanted.transpose_a), in_words(wanted.transpose_b)});
    require_place(output_, a_, b_, wanted.c);
    if (wanted.beta != 0) old_ = read_old(wanted.c, a, b);
    job_.a = a_.where;
    job_.b = b_.where;
    job_.transpose_a = wanted.transpose_a;
    job_.transpose_b = wanted.transpose_b;
    job_.c = {files::partial_path(output_), files::npy_header_bytes, a.where.rows, b.where.columns};
    if (old_) job_.c_read = old_->where;
    options& how = job_.how;
    how.processor = wanted.who.value_or(device::count() > 0 ? gpu_number(0) : the_cpu);
    how.engine = wanted.engine.empty() ? default_engine(how.processor) : wanted.engine;
    require_file_engine(how.engine);
    how.threads = wanted.threads > 0 ? wanted.threads : default_threads(how.engine);
    how.depth = default_depth(how.engine);
    how.type = a_.type;
    how.fast_memory =
        wanted.fast_memory > 0 ? wanted.fast_memory : suited_fast_memory(how.processor);
    how.alpha = wanted.alpha;
    how.beta = wanted.beta;
    job_.interval = wanted.interval;
    how.tile = wanted.tile > 0 ? wanted.tile : suited_tile();
    ahead_ = plan(job_);
    require_machine(job_);
}

/// The tile of a partial file: a resumed run keeps it. Else the largest power of two of which
/// fast memory has some tens, with what a disk wants around their rows.
std::size_t product::suited_tile() const {
    if (!wanted_.fresh && files::is_there(files::partial_path(output_)))
        if (const auto earlier = journal::read(journal_); earlier && !earlier->tiles.empty())
            for (const auto& [name, value] : earlier->product) {
                std::size_t edge = 0;
                std::from_chars(value.data(), value.data() + value.size(), edge);
                if (name == "tile") return std::clamp<std::size_t>(edge, 1, tile_most);
            }
    file_product job = job_;
    job.how.tile = tile_usual;
    while (job.how.tile > tile_unit && job.how.fast_memory / slot_bytes(job) < slots_usual)
        job.how.tile /= 2;
    return job.how.tile;
}

std::uint64_t product::bytes() const {
    const files::matrix_file& c = job_.c;
    return c.offset + std::uint64_t{c.rows} * c.columns * element_bytes(how().type);
}

std::vector<const files::npy_matrix*> product::read() const {
    std::vector<const files::npy_matrix*> all{&a_, &b_};
    if (old_) all.push_back(&*old_);
    return all;
}

identity product::who_it_is() const {
    identity all;
    all.emplace_back("alpha", text(how().alpha));
    all.emplace_back("beta", text(how().beta));  // decides whether there is an old C
    add_identity(all, "A", a_);
    add_identity(all, "B", b_);
    if (old_) add_identity(all, "C", *old_);
    if (job_.transpose_a) all.emplace_back("A.transposed", "yes");
    if (job_.transpose_b) all.emplace_back("B.transposed", "yes");
    all.emplace_back("tile", std::to_string(how().tile));
    all.emplace_back("processor", how().processor.is_gpu() ? "gpu" : "cpu");
    return all;
}

/// Whether an earlier run was killed after C had got its name, before it could say so. Throws
/// usage_error where that was another product and this one adds to C: nobody knows of it yet.
bool product::finished_already() const {
    struct stat there {};
    if (files::is_there(files::partial_path(output_)) || stat(output_.c_str(), &there) != 0)
        return false;
    const auto earlier = journal::read(journal_);
    if (!earlier || earlier->inode != there.st_ino ||
        earlier->whole != files::file_state::of(there))
        return false;
    // old C is the product itself by now, and in which tiles it was made matters no longer
    const auto product_of = [](identity all) {
        std::erase_if(all, [](const auto& each) {
            const std::string& name = each.first;
            return name.starts_with("C.") || name == "tile" || name == "processor" ||
                   name.ends_with(attributes);
        });
        return all;
    };
    const std::string other =
        difference(product_of(earlier->product), product_of(comparable(*earlier)));
    if (!other.empty() && old_)
        throw usage_error(output_ + " was finished by an earlier run that was killed, as another " +
                          "product: " + other + "; fresh (--fresh) takes it as it is now");
    unlink(journal_.c_str());
    files::sync_names_beside(journal_);
    return other.empty();
}

/// What a journal would say of this product. One of version 1 has fewer names.
identity product::comparable(const journal::contents& before) const {
    identity now = who_it_is();
    if (before.version == 1)
        std::erase_if(now, [](const auto& each) {
            const std::string& name = each.first;
            return name.ends_with(".inode") || name.ends_with(".sampled") ||
                   name.ends_with(attributes);
        });
    return now;
}

/// The tiles that an earlier run completed. Throws usage_error where that was another product.
completed_tiles product::tiles_left(const files::partial_file& file) {
    const std::string path = files::partial_path(output_);
    const std::uint64_t size = file.state().bytes;
    if (wanted_.fresh) return {};
    const auto earlier = journal::read(journal_);
    if (size == 0) return {};
    if (!earlier)
        throw usage_error(path + " is there, and no journal says what it is; " + begin_anew);
    if (earlier->tiles.empty()) return {};
    const auto unverified = static_cast<std::size_t>(
        std::ranges::count_if(earlier->tiles, [](const auto& tile) { return !tile.second; }));
    if (earlier->inode != file.inode() || (size != bytes() && unverified > 0))
        throw usage_error(path + " is not the file that " + journal_ + " is about; " + begin_anew);
    identity before = earlier->product, now = comparable(*earlier);
    note_attributes(before);
    for (identity* each : {&before, &now})
        std::erase_if(*each, [](const auto& one) { return one.first.ends_with(attributes); });
    if (const std::string other = difference(before, now); !other.empty())
        throw usage_error(path + " is of another product: " + other + "; " + begin_anew);
    const tiling c = grid();
    for (const auto& [at, checksum] : earlier->tiles)
        if (at.first >= c.tile_rows() || at.second >= c.tile_columns())
            throw usage_error(journal_ + " names tiles that C does not have; " + begin_anew);
    if (unverified > 0)
        notes_.push_back(std::to_string(unverified) + " completed tiles have no checksum, since " +
                         "an earlier version of this program wrote them: they are not verified");
    return earlier->tiles;
}

void product::note_attributes(const identity& before) {
    for (const auto& [name, value] : who_it_is())
        for (const auto& [earlier, was] : before)
            if (name == earlier && name.ends_with(attributes) && value != was)
                notes_.push_back(name.substr(0, name.size() - attributes.size()) +
                                 " has other attributes than before (ctime); its size, time of " +
                                 "change, inode and 66 sampled blocks are the same");
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
    files::require_room_on_disk(output_, bytes());
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
        file.allocate(bytes(), files::npy_header(job_.c.rows, job_.c.columns, how().type),
                      before.empty());
        product_counts counts = make(file, *done, progress);
        if (counts.stopped) leave();
        return counts;
    } catch (...) {
        leave();
        throw;
    }
}

/// `(2, 0) and 5 more`
static std::string tiles_text(const std::vector<tile_of_c>& tiles) {
    const auto [row, column] = tiles.front();
    std::string text = "(" + std::to_string(row) + ", " + std::to_string(column) + ")";
    return tiles.size() == 1 ? text : text + " and " + std::to_string(tiles.size() - 1) + " more";
}

std::vector<tile_of_c> product::damaged(const files::partial_file& file, const journal& done,
                                        const std::function<bool()>& goes_on) const {
    const placement where = placement::rows_at(grid(), element_bytes(how().type), job_.c.offset, 1);
    return damaged_tiles(file.get(), where, done.tiles(), goes_on);
}

/// Of which product the tiles are, none can say: nothing is kept.
void product::discard(journal& done, const std::string& reason) {
    done.clear();
    last_run_ = stage::not_begun;
    throw file_error(reason);
}

product_counts product::make(files::partial_file& file, journal& done,
                             const product_progress& progress) {
    last_run_ = stage::begun;
    bool goes_on = !progress || progress(done.tiles().size(), 0), stopped = false;
    double last_report = measure::now(), part = 0;
    const auto reads_on = [&] {
        if (goes_on && progress && measure::now() - last_report >= job_.interval) {
            last_report = measure::now();
            stopped = !(goes_on = progress(done.tiles().size(), part));
        }
        return !stopped;
    };
    product_counts counts{.tiles = tiles(), .finished_before = done.tiles().size()};
    counts.stopped = true;
    if (!goes_on && done.tiles().size() < tiles()) return counts;
    if (const auto lost = damaged(file, done, reads_on); !stopped && !lost.empty()) {
        done.drop(lost);
        notes_.push_back("completed tiles that did not hold what was written to them, " +
                         tiles_text(lost) + ", were computed again");
        counts.finished_before = done.tiles().size();
    }
    if (stopped || (!goes_on && done.tiles().size() < tiles())) return counts;
    job_.opened_c = file.get();
    job_.finished.clear();
    for (const auto& [at, checksum] : done.tiles()) job_.finished.push_back(at);
    job_.progress = [&](const completed_tiles& tiles, double so_far) {
        done.add(tiles);
        if (goes_on && progress) goes_on = progress(done.tiles().size(), so_far);
        return goes_on;
    };
    const pipeline_counts took = multiply(job_);
    counts.seconds = took.seconds;
    counts.read = took.read;
    counts.written = took.written;
    counts.stopped = took.stopped;
    counts.blas = took.blas;
    part = 1;
    if (!took.stopped) counts.stopped = !finish(file, done, reads_on);
    counts.notes = notes_;
    counts.notes.insert(counts.notes.end(), took.notes.begin(), took.notes.end());
    return counts;
}

/// Gives C its name, unless C, A or B changed meanwhile. False: stopped before.
bool product::finish(files::partial_file& file, journal& done,
                     const std::function<bool()>& goes_on) {
    for (const files::npy_matrix* matrix : read())
        if (files::has_changed(*matrix))
            discard(done,
                    matrix->where.path + " changed while it was read: the product is discarded");
    if (!file.has_its_name())
        discard(done, job_.c.path + " was removed or replaced while it was written: it is lost");
    file.sync();
    const std::string damage = file.damage();
    if (wanted_.verify || !damage.empty() || file.lost_blocks()) {
        bool to_the_end = true;
        const auto lost = damaged(file, done, [&] { return to_the_end = goes_on(); });
        if (!to_the_end) return false;
        done.drop(lost);
        if (!damage.empty() || !lost.empty())
            throw file_error(job_.c.path + " was changed while it was written: it " +
                             (damage.empty() ? "" : damage + (lost.empty() ? "" : ", and ")) +
                             (lost.empty()
                                  ? ""
                                  : "does not hold what was computed in tile " + tiles_text(lost)));
    }
    done.finish(file.state());
    file.put_in_place();
    done.remove();
    last_run_ = stage::finished;
    return true;
}

std::string product::kept() const {
    if (last_run_ == stage::finished) return wanted_.c + " is finished";
    if (last_run_ == stage::not_begun) return "";
    const std::string old = files::is_there(output_) ? wanted_.c + " is as it was; " : "";
    if (finished_ == 0) return old + "no tile was finished";
    const std::string some =
        old + std::to_string(finished_) + " of " + std::to_string(tiles()) + " tiles are finished";
    for (const files::npy_matrix* matrix : read())
        if (files::has_changed(*matrix))
            return some + ", of another " + matrix->where.path + " than there is now; " +
                   begin_anew;
    return some + ": the same product goes on from there";
}

}  // namespace watari::gemm
