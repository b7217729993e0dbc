// One run of a product: verifies the tiles of an earlier run, computes the others, and gives C its
// name unless a file changed meanwhile.
#include "watari/gemm/product/product.hpp"

#include "watari/core/error.hpp"
#include "watari/gemm/product/factor.hpp"
#include "watari/measure/clock.hpp"

namespace watari::gemm {

/// `(2, 0) and 5 more`
static std::string tiles_text(const std::vector<tile_of_c>& tiles) {
    const auto [row, column] = tiles.front();
    std::string text = "(" + std::to_string(row) + ", " + std::to_string(column) + ")";
    return tiles.size() == 1 ? text : text + " and " + std::to_string(tiles.size() - 1) + " more";
}

std::vector<tile_of_c> product::damaged(const files::partial_file& file, const journal& done,
                                        read_from from,
                                        const std::function<bool()>& goes_on) const {
    const placement where = placement::rows_at(grid(), element_bytes(how().type), job_.c.offset, 1);
    // the pipeline has as many, and is not running
    return damaged_tiles({file.get(), from, 2 * movers_of(how())}, where, done.tiles(), goes_on);
}

std::string product::lost_name() const {
    return job_.c.path + " was removed or replaced while it was written: it is lost";
}

/// Keeps no tile, since the product that the tiles belong to is unknown. Throws file_error.
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
    if (const auto lost = damaged(file, done, read_from::disk, reads_on);
        !stopped && !lost.empty()) {
        done.drop(lost);
        notes_.push_back("completed tiles with a wrong checksum, " + tiles_text(lost) +
                         ", were computed again");
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
    pipeline_counts took;
    try {
        took = multiply(job_);
    } catch (const error&) {
        if (!file.has_its_name()) discard(done, lost_name());
        throw;
    }
    counts.seconds = took.seconds;
    counts.read = took.read;
    counts.received = took.received;
    counts.written = took.written;
    counts.stopped = took.stopped;
    counts.blas = took.blas;
    part = 1;
    if (!took.stopped) {
        const double begun = measure::now();
        counts.stopped = !finish(file, done, reads_on);
        counts.verifying = measure::now() - begun;
    }
    counts.notes = notes_;
    counts.notes.insert(counts.notes.end(), took.notes.begin(), took.notes.end());
    return counts;
}

/// Compares C with the checksums of its tiles. Returns false if stopped before the end. Throws
/// file_error for a wrong size, header or tile, and drops such tiles.
bool product::read_back(const files::partial_file& file, journal& done,
                        const std::function<bool()>& goes_on) const {
    bool to_the_end = true;
    const std::string damage = file.damage();
    const auto lost = damaged(file, done, read_from::cache, [&] { return to_the_end = goes_on(); });
    if (!to_the_end) return false;
    done.drop(lost);
    if (!damage.empty() || !lost.empty())
        throw file_error(job_.c.path + " was changed while it was written: it " +
                         (damage.empty() ? "" : damage + (lost.empty() ? "" : ", and ")) +
                         (lost.empty() ? "" : "has a wrong checksum in tile " + tiles_text(lost)));
    return true;
}

/// Gives C its name. Returns false if stopped before. Throws file_error if C, A or B changed
/// meanwhile.
bool product::finish(files::partial_file& file, journal& done,
                     const std::function<bool()>& goes_on) {
    for (const files::npy_matrix* matrix : read())
        if (factor_changed(*matrix))
            discard(done,
                    matrix->where.path + " changed while it was read: the product is discarded");
    if (!file.has_its_name()) discard(done, lost_name());
    if (!file.verify([&] { return read_back(file, done, goes_on); })) return false;
    done.finish(file.state());
    file.put_in_place();
    if (!wanted_.keep) done.remove();
    last_run_ = stage::finished;
    return true;
}

}  // namespace watari::gemm
