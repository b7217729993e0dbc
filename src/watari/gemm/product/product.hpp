/// C = alpha A B + beta C of matrices in .npy files, which may be larger than memory.
///
/// A (m x k) and B (k x n) are both of float32 or of float64, or of float16 and bfloat16, which are
/// multiplied as float32; a file may hold the transpose of its factor instead (k x m, n x k), and
/// lie by rows or by columns, or be an object of a server. C becomes m x n, by rows, of float32 or
/// float64, with a .npy header or plain, written whole or not at all: a run writes C.npy.partial
/// beside it, which takes C's name when it is durable. A stopped or killed run leaves this file and
/// a journal, and the same product resumes from them; with the same fast memory and engine, the
/// bits of C are the same. Two runs on one C are refused.
///
///     watari::gemm::multiply({.a = "A.npy", .b = "B.npy", .c = "C.npy"});
#pragma once

#include "watari/files/matrices/npy.hpp"
#include "watari/files/partial/partial_file.hpp"
#include "watari/gemm/product/files.hpp"
#include "watari/gemm/product/journal.hpp"
#include "watari/gemm/product/read_back.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace watari::gemm {

/// Options of a product. Members that are left empty, or 0, get values that suit the machine.
struct npy_product {
    std::string a, b, c;  ///< paths; if beta is not 0, C must exist and is added to
    /// Factors whose place is known, since they are not .npy files.
    std::optional<files::npy_matrix> a_at{}, b_at{};
    std::size_t fast_memory = 0;  ///< bytes of GPU memory, or of RAM where the CPU multiplies
    bool transpose_a = false;     ///< the file of A holds its transpose
    bool transpose_b = false;
    double alpha = 1, beta = 0;              ///< with alpha 0 A and B are not read
    std::optional<watari::processor> who{};  ///< processor that multiplies
    std::string engine{};                    ///< moves tiles: a row of storage::engines()
    std::size_t tile = 0;                    ///< elements along an edge
    std::size_t threads = 0;                 ///< threads of the CPU that move tiles
    bool plain = false;                      ///< C has no header
    /// The journal stays beside the completed C: a later call with the same product recognises it
    /// and computes nothing. For a C that is then stored elsewhere.
    bool keep = false;
    bool fresh = false;  ///< discards the partial file of an earlier run
    double interval =
        1;  ///< seconds between flushes of completed tiles, and between reports of progress
};

/// Seconds, bytes and tiles of a run.
struct product_counts {
    double seconds = 0;                   ///< of reads, products and writes
    double verifying = 0;                 ///< seconds to read C back and to give it its name
    std::uint64_t read = 0, written = 0;  ///< bytes
    std::uint64_t received = 0;           ///< see pipeline_counts
    std::size_t tiles = 0;                ///< tiles of C
    std::size_t finished_before = 0;      ///< tiles of C that an earlier run completed
    bool stopped = false;
    std::string blas{};
    std::vector<std::string> notes{};
};

/// Called by the thread that runs the product, first before it begins. Arguments: the number of
/// completed tiles of C, and the fraction of this run's work that is done. The result false stops
/// the run and keeps the completed tiles.
using product_progress = std::function<bool(std::size_t finished, double part)>;

class product {
public:
    /// Checks files, options and machine, and writes nothing. Throws file_error and usage_error for
    /// files and options that do not fit, unsupported, beyond_memory.
    explicit product(const npy_product& wanted);

    const files::npy_matrix& a() const { return a_; }
    const files::npy_matrix& b() const { return b_; }
    /// Shape of the product, with A and B as they are multiplied.
    shape size() const { return shape_of(job_); }
    /// The options, with values for those that were left open.
    const options& how() const { return job_.how; }
    /// The forecast of the whole product.
    const foresight& ahead() const { return ahead_; }
    std::size_t tiles() const { return grid().tiles(); }  ///< tiles of C

    /// Number of tiles that an earlier run completed and `run` resumes from; 0 if it begins anew.
    /// Throws usage_error if a partial file is of another product.
    std::size_t completed_before();

    /// Throws file_error if the disk of C has no room for it.
    void require_room() const { files::require_room_on_disk(output_, bytes()); }

    /// Computes C, or the tiles that an earlier run left. Completed tiles of an earlier run are
    /// read back and verified by their checksums; tiles that fail are computed again. In the same
    /// way all of C is read back before it gets its name. Throws the errors of the constructor and
    /// of multiply in files.hpp, and file_error if a matrix changed meanwhile, or another process
    /// changed the partial file.
    product_counts run(const product_progress& progress = {});

    /// Describes to a user what the last run left; empty if it did not begin or was discarded.
    std::string kept() const;

private:
    tiling grid() const { return {job_.c.rows, job_.c.columns, how().tile}; }  ///< tiles of C
    std::uint64_t bytes() const;  ///< bytes of C's file
    std::string header() const;   ///< of C's file
    std::vector<const files::npy_matrix*> read() const;
    identity who_it_is() const;
    bool finished_already() const;
    std::size_t suited_tile() const;
    identity comparable(const journal::contents& before) const;
    completed_tiles tiles_left(const files::partial_file& file);
    void note_attributes(const identity& before);
    product_counts make(files::partial_file& file, journal& done, const product_progress& progress);
    std::vector<tile_of_c> damaged(const files::partial_file& file, const journal& done,
                                   read_from from, const std::function<bool()>& goes_on) const;
    bool read_back(const files::partial_file& file, journal& done,
                   const std::function<bool()>& goes_on) const;
    bool finish(files::partial_file& file, journal& done, const std::function<bool()>& goes_on);
    std::string lost_name() const;
    [[noreturn]] void discard(journal& done, const std::string& reason);

    npy_product wanted_;
    files::npy_matrix a_, b_;
    std::optional<files::npy_matrix> old_;  ///< old C, if beta is not 0
    std::string output_, journal_;          ///< real paths
    file_product job_;
    foresight ahead_{};
    enum class stage { not_begun, begun, finished } last_run_ = stage::not_begun;
    std::size_t finished_ = 0;        ///< completed tiles that the last run left
    std::vector<std::string> notes_;  ///< notes of the run
};

/// Computes a product in one call.
inline product_counts multiply(const npy_product& wanted, const product_progress& progress = {}) {
    return product(wanted).run(progress);
}

}  // namespace watari::gemm
