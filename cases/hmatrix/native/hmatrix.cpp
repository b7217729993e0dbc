#include "hmatrix.hpp"

#include "exact_row.hpp"
#include "row_check.hpp"
#include "watari/case/ranks.hpp"
#include "watari/core/error.hpp"
#include "watari/files/file_state.hpp"
#include "watari/measure/clock.hpp"
#include "watari/memory/move.hpp"
#include "watari/storage/backends/faulty.hpp"
#include "watari/storage/backends/file.hpp"
#include "watari/storage/backends/ram.hpp"

#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>

namespace watari::hmatrix {

namespace {

namespace fs = std::filesystem;

constexpr const char* memory_folder = "/dev/shm";  ///< a file system in memory
constexpr double single_error = 3e-8;              ///< of an element of 4 bytes, which is rounded

bool is_queued(const std::string& engine) { return storage::engine_named(engine).queued; }

/// The matrix in its file: in the case's folder, or in memory and removed at the end.
class stored_matrix {
public:
    stored_matrix(const surface& of, const case_parameters& p)
        : in_memory_(p.store == "ram"), path_(name_of(of, p)) {
        if (!in_memory_) fs::create_directories(p.folder);
        if (!is_there(identity_of(of, p.build))) counts_ = build(of, path_, p.build);
        index_ = read_index(path_);
        if (!in_memory_ || !is_queued(p.solve.product.engine)) return;
        const files::descriptor file(path_, O_RDONLY | O_CLOEXEC);
        const std::uint64_t bytes = files::file_state::of(file.get()).bytes;
        const std::uint64_t whole = (bytes + page_bytes - 1) / page_bytes * page_bytes;
        data_.emplace(memory::kind::pageable, whole);
        for (std::uint64_t at = 0; at < bytes; at += part) {
            const std::string some = files::bytes_of(file.get(), at, std::min(part, bytes - at));
            std::memcpy(data_->data() + at, some.data(), some.size());
        }
    }
    stored_matrix(const stored_matrix&) = delete;
    ~stored_matrix() {
        if (in_memory_) unlink(path_.c_str());
    }

    const std::string& path() const { return path_; }
    const matrix_index& index() const { return index_; }
    /// The counts of this trial's build; none if an earlier trial left the file.
    const std::optional<build_counts>& counts() const { return counts_; }
    std::span<std::byte> memory() const {
        return data_ ? std::span(data_->data(), data_->size()) : std::span<std::byte>();
    }

private:
    static constexpr std::uint64_t part = std::uint64_t{1} << 26;

    static std::string name_of(const surface& of, const case_parameters& p) {
        const identity id = identity_of(of, p.build);
        const bool own = p.store == "ram";
        std::string name = own ? memory_folder : p.folder;
        name += "/watari-hmatrix-" + std::to_string(checksum_of(&id, sizeof id));
        return own ? name + "-" + std::to_string(getpid()) + ".data" : name + ".data";
    }
    bool is_there(const identity& wanted) const {
        try {
            return fs::exists(path_) && read_index(path_).head.of == wanted;
        } catch (const file_error&) {
            return false;  // damaged: it is built again
        }
    }

    bool in_memory_;
    std::string path_;
    std::optional<build_counts> counts_;
    matrix_index index_;
    std::optional<memory::buffer<std::byte>> data_;
};

/// Vectors of all systems in memory of the processor.
class vectors {
public:
    vectors(processor who, std::size_t count)
        : who_(who), data_(memory::local_kind(who), count, {.device = who.number}) {}
    double* data() const { return data_.data(); }
    void set(const std::vector<double>& values) {
        memory::copy_now(who_, data_.data(), values.data(), 8 * values.size());
    }
    std::vector<double> get() const { return memory::read_back(who_, data_.data(), data_.size()); }

private:
    processor who_;
    memory::buffer<double> data_;
};

/// Smooth potentials, a different one for each system; the first is that of the conductor.
std::vector<double> right_hand_sides(const surface& of, std::size_t systems) {
    std::vector<double> b(of.signs);
    for (std::size_t s = 1; s < systems; ++s)
        for (const panel& one : of.panels)
            b.push_back(1 + 0.5 * std::sin(static_cast<double>(s) * one.centroid.x));
    return b;
}

/// The sum over ranks, or the only rank's value.
template <class Value>
Value over_ranks(const case_parameters& p, Value own) {
    return p.solve.ranks ? p.solve.ranks->sum(own) : own;
}

std::vector<std::array<point, 3>> corners_of(const surface& of) {
    std::vector<std::array<point, 3>> all;
    for (const panel& one : of.panels) all.push_back(one.corners);
    return all;
}

/// Multiplies once, for the first time, and compares rows with those of the dense matrix. Each rank
/// draws among its own leaves. `x` and `y` are memory for the vectors of all systems.
template <class Multiply>
void verify_first(const surface& of, const stored_matrix& matrix, const case_parameters& p,
                  vectors& x, const vectors& y, const Multiply& multiply, measure::trial& result) {
    const comm::communicator* const all = p.solve.ranks;
    const bool first = !all || all->rank() == 0;
    const std::uint64_t seed = over_ranks(p, std::uint64_t{first ? std::random_device()() : 0});
    const std::uint64_t own_seed = seed + static_cast<std::uint64_t>(all ? all->rank() : 0);
    const std::vector<double> values = check_vector(of.size() * p.solve.product.systems, seed);
    x.set(values);
    multiply();
    const std::vector<std::size_t> rows = draw_rows(matrix.index().leaves, own_seed);
    const double eps = p.build.eps + (p.build.single ? single_error : 0);
    const std::uint64_t wrong = wrong_rows(exact_rows(corners_of(of)), rows, values, y.get(), eps);
    result.wrong_elements = over_ranks(p, wrong);
    result.quantities["checked_rows"] = {
        static_cast<double>(over_ranks(p, std::uint64_t{rows.size()})), "1"};
    result.quantities["seed"] = {static_cast<double>(seed), "1"};
}

/// Reports the residual, and the charge of the triangles at the positive potential.
void report_solution(const surface& of, const solution& found, measure::trial& result) {
    double charge = 0, residual = 0;
    for (std::size_t i = 0; i < of.size(); ++i)
        if (of.signs[i] > 0) charge += found.x[i] * of.panels[i].area;
    for (const krylov::report& one : found.reports)
        residual = std::max(residual, one.true_residual / one.norm_b);
    for (const krylov::report& one : found.reports)
        if (!one.converged())
            result.notes.push_back(std::string("the solver ended by ") + name_of(one.reason));
    result.quantities["capacitance"] = {charge, "4 pi eps0 m"};
    result.quantities["residual"] = {residual, "1"};
    result.quantities["products"] = {static_cast<double>(found.products), "1"};
    result.quantities["solve_s"] = {found.seconds, "s"};
    result.quantities["read_s"] = {found.waited, "s"};
}

/// Reports the bytes of the matrix and of a product's reads, over all ranks, and the seconds of the
/// build.
void report_matrix(const stored_matrix& matrix, const solver& by, const case_parameters& p,
                   measure::trial& result) {
    const auto size =
        static_cast<double>(over_ranks(p, std::uint64_t{matrix.index().data_bytes()}));
    const product_forecast& ahead = by.ahead().product;
    const auto read = static_cast<double>(over_ranks(p, std::uint64_t{ahead.read}));
    const auto resident = static_cast<double>(over_ranks(p, std::uint64_t{ahead.resident}));
    result.bytes_per_sample = size;
    result.quantities["matrix_bytes"] = {size, "B"};
    result.quantities["read_bytes"] = {read, "B"};
    // counted in batches, which read a page twice if two of them share it
    result.quantities["resident_fraction"] = {resident / (resident + read), "1"};
    const auto& counts = matrix.counts();
    if (over_ranks(p, std::uint64_t{counts.has_value()}) > 0)
        result.quantities["build_s"] = {counts ? counts->seconds : 0, "s"};
    if (p.store == "ram" && matrix.memory().empty())
        result.notes.emplace_back("the matrix lies in a file in memory, without direct I/O");
}

/// Reads the matrix through a device that has a fault now and then; every read is compared with its
/// checksums.
void read_with_fault(const stored_matrix& matrix, const case_parameters& p, product_options& how) {
    if (p.fault == "none") return;
    if (!is_queued(how.engine))
        throw unsupported("fault=" + p.fault +
                          " is behind queues, engine=queue or engine=gpu; engine " + how.engine +
                          " opens files");
    const std::span<std::byte> memory = matrix.memory();
    how.behind = storage::make_faulty(
        memory.empty()
            ? storage::make_file(
                  {.paths = {matrix.path()}, .cache = files::cache_state::cold, .padded = true})
            : storage::make_ram({memory.data(), memory.size()}),
        p.fault, 1);
    how.memory = {};
    how.timeout = storage::faulty_timeout;
    how.verify_always = true;
}

/// The trial of a rank, or of the only one.
measure::trial run_rows(const surface& of, const case_parameters& p) {
    const stored_matrix matrix(of, p);
    solve_options how = p.solve;
    how.product.memory = matrix.memory();
    how.product.direct = p.store == "file";
    read_with_fault(matrix, p, how.product);
    solver by(matrix.path(), matrix.index(), how);
    const std::size_t systems = how.product.systems;
    const std::vector<double> b = right_hand_sides(of, systems);
    vectors x(how.product.who, b.size()), y(how.product.who, b.size());
    measure::trial result;
    const auto multiply = [&] {
        by.multiply(y.data(), x.data(), systems);
        memory::wait(how.product.who);
    };
    verify_first(of, matrix, p, x, y, multiply, result);
    x.set(b);
    result.first_sample = measure::now();
    for (std::size_t n = 0; n < p.samples; ++n) {
        const double start = measure::now();
        multiply();
        result.host_s.push_back(measure::now() - start);
    }
    report_solution(of, by.solve(b), result);
    report_matrix(matrix, by, p, result);
    return result;
}

/// The same parameters with the rows and the processor of this rank.
case_parameters of_rank(const surface& of, case_parameters p, const comm::communicator& all) {
    const auto rank = static_cast<std::size_t>(all.rank());
    const std::vector<block> leaves = leaves_of(of.tree, p.build.eta);
    p.build.rows = divided(of.tree, leaves, p.ranks)[rank];
    p.solve.product.who = p.build.who = cases::own_processor(p.solve.product.who, all);
    p.solve.ranks = &all;
    return p;
}

}  // namespace

measure::trial run(const surface& of, const case_parameters& p) {
    if (p.samples < 1) throw usage_error("samples are 1 or more");
    if (p.ranks == 1) return run_rows(of, p);
    const comm::communicator& all = comm::world();
    cases::require_ranks("of rows", p.ranks, p.solve.product.who, all);
    return cases::on_ranks(all, [&] { return run_rows(of, of_rank(of, p, all)); });
}

}  // namespace watari::hmatrix
