/// C = alpha A B + beta C of matrices in .npy files, which may be larger than memory.
///
/// A (m x k) and B (k x n) are both of float32 or of float64, in C order; a file may hold the
/// transpose of its factor instead (k x m, n x k). C becomes m x n of the same type, written whole
/// or not at all: into C.npy.partial beside it, which takes its name when it is durable. A run that
/// was stopped or killed leaves that and a journal, and the same product resumes from there; with
/// the same fast memory and engine, to the same bits. Two runs on one C are refused.
///
///     watari::gemm::multiply({.a = "A.npy", .b = "B.npy", .c = "C.npy"});
#pragma once

#include "watari/files/npy.hpp"
#include "watari/files/partial_file.hpp"
#include "watari/gemm/product/files.hpp"
#include "watari/gemm/product/journal.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace watari::gemm {

/// What is asked for. What is left empty, or 0, suits the machine.
struct npy_product {
    std::string a, b, c;  ///< paths; with beta other than 0 C must be there, and is added to
    std::size_t fast_memory = 0;  ///< bytes of GPU memory, or of RAM where the CPU multiplies
    bool transpose_a = false;     ///< the file of A holds its transpose
    bool transpose_b = false;
    double alpha = 1, beta = 0;              ///< with alpha 0 A and B are not read
    std::optional<watari::processor> who{};  ///< that multiplies
    std::string engine{};                    ///< that moves tiles: a row of storage::engines()
    std::size_t tile = 0;                    ///< elements along an edge
    std::size_t threads = 0;                 ///< of the CPU, that move tiles
    bool fresh = false;                      ///< discards the partial file of an earlier run
    bool verify = false;                     ///< reads all of C back before it gets its name
    double interval =
        1;  ///< seconds; finished tiles become durable, and progress is reported, as often
};

/// What a run took.
struct product_counts {
    double seconds = 0;
    std::uint64_t read = 0, written = 0;  ///< bytes
    std::size_t tiles = 0;                ///< of C
    std::size_t finished_before = 0;      ///< of them by an earlier run
    bool stopped = false;
    std::string blas{};
    std::vector<std::string> notes{};
};

/// Called by the thread that runs the product, first before it begins: completed tiles of C, and
/// the part of this run's work that is done. False: stop, and keep the completed tiles.
using product_progress = std::function<bool(std::size_t finished, double part)>;

class product {
public:
    /// Looks at everything that could be wrong, and writes nothing. Throws file_error and
    /// usage_error for what does not fit, unsupported.
    explicit product(const npy_product& wanted);

    const files::npy_matrix& a() const { return a_; }
    const files::npy_matrix& b() const { return b_; }
    /// Of the product; A and B as they are multiplied.
    shape size() const { return shape_of(job_); }
    /// With what was left open.
    const options& how() const { return job_.how; }
    /// What the whole product moves.
    const foresight& ahead() const { return ahead_; }
    std::size_t tiles() const { return grid().tiles(); }  ///< of C

    /// Tiles that an earlier run completed and `run` would resume from; 0 where it begins anew.
    /// Throws usage_error where a partial file is of another product.
    std::size_t completed_before();

    /// Makes C, or what is left of it. Completed tiles of an earlier run are read back and verified
    /// by their checksums; those that fail are computed again. Throws what the constructor does,
    /// what multiply of files.hpp does, and file_error for a matrix that changed meanwhile, or a
    /// partial file that another process changed.
    product_counts run(const product_progress& progress = {});

    /// What the last run has left, for people; empty if it did not begin.
    std::string kept() const;

private:
    tiling grid() const { return {job_.c.rows, job_.c.columns, how().tile}; }  ///< of C
    std::uint64_t bytes() const;                                               ///< of C's file
    std::vector<const files::npy_matrix*> read() const;
    identity who_it_is() const;
    bool finished_already() const;
    std::size_t suited_tile() const;
    identity comparable(const journal::contents& before) const;
    completed_tiles tiles_left(const files::partial_file& file);
    void note_attributes(const identity& before);
    product_counts make(files::partial_file& file, journal& done, const product_progress& progress);
    std::vector<tile_of_c> damaged(const files::partial_file& file, const journal& done,
                                   const std::function<bool()>& goes_on) const;
    bool finish(files::partial_file& file, journal& done, const std::function<bool()>& goes_on);
    [[noreturn]] void discard(journal& done, const std::string& reason);

    npy_product wanted_;
    files::npy_matrix a_, b_;
    std::optional<files::npy_matrix> old_;  ///< C before, where beta is not 0
    std::string output_, journal_;          ///< real paths
    file_product job_;
    foresight ahead_{};
    enum class stage { not_begun, begun, finished } last_run_ = stage::not_begun;
    std::size_t finished_ = 0;        ///< tiles that it has left
    std::vector<std::string> notes_;  ///< of the run
};

/// All of it in one call.
inline product_counts multiply(const npy_product& wanted, const product_progress& progress = {}) {
    return product(wanted).run(progress);
}

}  // namespace watari::gemm
