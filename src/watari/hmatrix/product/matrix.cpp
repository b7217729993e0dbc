#include "watari/hmatrix/product/matrix.hpp"

#include "watari/core/error.hpp"
#include "watari/files/direct_unit.hpp"
#include "watari/memory/move.hpp"
#include "watari/memory/rows/rows.hpp"

#include <algorithm>

namespace watari::hmatrix {

namespace {

/// Below this size one thread checksums a batch before a team would begin and end.
constexpr std::size_t serial_bytes = std::size_t{1} << 18;

/// Whether the matrix is read from its files, and not from memory or a device in their place.
bool reads_files(const product_options& how) { return how.memory.empty() && !how.behind; }

files::file_options files_of(const matrix_paths& paths, const product_options& how) {
    if (!reads_files(how)) return {.cache = storage::cache_of(how.engine, how.direct)};
    const bool direct = how.direct && std::ranges::all_of(paths.all, [](const std::string& path) {
                            const std::size_t unit = files::direct_unit_of(path);
                            return unit > 0 && unit <= page_bytes;
                        });
    return {.paths = paths.all,
            .cache = storage::cache_of(how.engine, direct),
            .padded = paths.all.size() == 1,  // several files have whole stripes
            .stripe = stripe_bytes};
}

storage::store_options store_of(const matrix_paths& paths, const product_options& how) {
    return {.engine = how.engine,
            .who = how.who,
            .files = files_of(paths, how),
            .memory = how.memory,
            .disks = how.disks,
            .behind = how.behind,
            .threads = how.readers,
            .requests = how.readers * how.depth,
            .largest_block = how.request,
            .timeout = how.timeout};
}

std::vector<storage::byte_range> ranges_of(std::span<const batch> batches) {
    std::vector<storage::byte_range> ranges;
    for (const batch& one : batches) ranges.push_back({one.offset, one.bytes});
    return ranges;
}

/// Pieces of at most `bytes` bytes that cover all pages once.
std::vector<storage::byte_range> pieces_of(const matrix_index& index, std::uint64_t bytes) {
    std::vector<storage::byte_range> ranges;
    const std::uint64_t end = index.head.index_offset;
    for (std::uint64_t at = page_bytes; at < end; at += bytes)
        ranges.push_back({at, std::min(bytes, end - at)});
    return ranges;
}

/// Options of the reader that loads a whole matrix, or that streams the batches that are not
/// resident.
storage::reader_options reader_of(const product_options& how) {
    return {.ahead = how.ahead, .readers = how.readers, .depth = how.depth, .request = how.request};
}

}  // namespace

matrix_product::matrix_product(const matrix_paths& paths, const matrix_index& index,
                               const product_options& how)
    : path_(paths.first()),
      index_(index),
      how_(how),
      ahead_(forecast(index, how)),
      plan_(std::in_place, index, lists_of(index, ahead_, how.who), how.who),
      parts_(parts_of(index, ahead_)),
      scratch_(memory::local_kind(how.who), scratch_doubles(plan_->scratch(), how),
               {.device = how.who.number}),
      sums_(memory::host_kind(how.who), largest_of(ahead_.batches) / page_bytes,
            {.device = how.who.number}) {
    if (reads_files(how)) {
        files_.emplace(paths);
        states_ = files_->states();
    }
    store_.emplace(store_of(paths, how));
    if (ahead_.whole) {
        whole_.emplace(memory::local_kind(how.who), index.data_bytes(),
                       memory::placement{.device = how.who.number});
        load(nullptr);
    } else {
        storage::reader_options options = reader_of(how);
        options.resident = ahead_.stays;
        reader_.emplace(*store_, ranges_of(ahead_.batches), options);
    }
}

/// Reads all pages into one piece of memory.
void matrix_product::load(stream_t stream) {
    const auto pieces = pieces_of(index_, largest_of(ahead_.batches));
    storage::ordered_reader reader(*store_, pieces, reader_of(how_));
    for (const storage::byte_range& piece : pieces) {
        const storage::ordered_reader::piece from = reader.next(stream);
        verify(piece.offset, piece.bytes, from.data, stream);
        memory::copy(how_.who, whole_->data() + piece.offset - page_bytes, from.data, from.bytes,
                     stream);
    }
    memory::wait(how_.who, stream);
    read_before_ = index_.data_bytes();
    waited_before_ = reader.seconds_waited();
}

/// Throws file_error if the file changed: a batch that is read again could be another matrix's.
void matrix_product::require_unchanged() const {
    if (files_ && files_->states() != states_)
        throw file_error(path_ + ": was changed while it was in use");
}

void matrix_product::apply(double* y, const double* x, std::size_t systems, stream_t stream) {
    if (systems > how_.systems)
        throw usage_error("a product of " + std::to_string(systems) +
                          " right-hand sides, and memory was taken for " +
                          std::to_string(how_.systems));
    kernels_on<vector_kernels>(how_.who).clear(y, index_.head.of.triangles * systems, stream);
    if (ahead_.whole) {
        multiply_whole(y, x, systems, stream);
    } else {
        require_unchanged();
        for (std::size_t b = 0; b < ahead_.batches.size(); ++b) {
            const storage::ordered_reader::piece from = reader_->next(stream);
            if (from.range != b) throw file_error(path_ + ": an earlier product failed");
            if (products_ == 0 || (how_.verify_always && !ahead_.stays[b]))
                verify(ahead_.batches[b].offset, from.bytes, from.data, stream);
            multiply(b, from.data, y, x, systems, stream);
        }
    }
    ++products_;
}

void matrix_product::apply_resident(double* y, const double* x, std::size_t systems,
                                    stream_t stream) {
    if (products_ == 0 || systems > how_.systems)
        throw usage_error(
            "the part in memory is available only after a product of as many systems");
    kernels_on<vector_kernels>(how_.who).clear(y, index_.head.of.triangles * systems, stream);
    if (ahead_.whole) return multiply_whole(y, x, systems, stream);
    for (std::size_t b = 0; b < ahead_.batches.size(); ++b)
        if (ahead_.stays[b]) multiply(b, reader_->resident(b).data, y, x, systems, stream);
}

void matrix_product::multiply_whole(double* y, const double* x, std::size_t systems,
                                    stream_t stream) {
    for (std::size_t g = 0; g < parts_.size(); ++g)
        multiply(g, whole_->data() + parts_[g].offset - page_bytes, y, x, systems, stream);
}

void matrix_product::multiply(std::size_t number, const std::byte* data, double* y, const double* x,
                              std::size_t systems, stream_t stream) {
    const batch_view view = plan_->view_of(number);
    double* const scratch = scratch_.data();
    if (index_.type() == precision::single_precision)
        kernels_on<product_kernels<float>>(how_.who).multiply(view, data, x, scratch, y, systems,
                                                              stream);
    else
        kernels_on<product_kernels<double>>(how_.who).multiply(view, data, x, scratch, y, systems,
                                                               stream);
}

void matrix_product::verify(std::uint64_t offset, std::uint64_t bytes, const std::byte* data,
                            stream_t stream) {
    const std::size_t pages = bytes / page_bytes;
    if (!how_.who.is_gpu() && bytes < serial_bytes)
        for (std::size_t page = 0; page < pages; ++page)
            sums_.data()[page] =
                checksum_of(data + page * page_bytes, page_bytes, (offset + page * page_bytes) / 8);
    else
        kernels_on<memory::row_kernels>(how_.who).checksum(
            sums_.data(), {const_cast<std::byte*>(data), page_bytes}, pages, page_bytes,
            offset / page_bytes, stream);
    memory::wait(how_.who, stream);
    for (std::size_t page = 0; page < pages; ++page)
        index_.require(path_, offset + page * page_bytes, sums_.data()[page]);
}

std::uint64_t matrix_product::bytes_read() const {
    return read_before_ + (reader_ ? reader_->bytes_read() : 0);
}

double matrix_product::seconds_waited() const {
    return waited_before_ + (reader_ ? reader_->seconds_waited() : 0);
}

}  // namespace watari::hmatrix
