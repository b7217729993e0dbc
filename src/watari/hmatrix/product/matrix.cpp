#include "watari/hmatrix/product/matrix.hpp"

#include "watari/core/error.hpp"
#include "watari/files/direct_unit.hpp"
#include "watari/memory/rows.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace watari::hmatrix {

namespace {

constexpr std::size_t margin = std::size_t{1} << 16;  ///< alignment of what is allocated apart

std::uint32_t tile_rows(processor who) { return who.is_gpu() ? tile_rows_gpu : tile_rows_cpu; }

plan_lists lists_of(const matrix_index& index, const product_forecast& ahead, processor who) {
    return {index, ahead.whole ? grouping::whole : grouping::batches, tile_rows(who)};
}

std::uint64_t scratch_of(const plan_lists& lists, const product_options& how) {
    return lists.bytes() + 8 * lists.most_projections() * how.systems;
}

std::uint64_t largest_batch(const matrix_index& index) {
    std::uint64_t largest = 0;
    for (const batch_record& batch : index.batches) largest = std::max(largest, batch.bytes);
    return largest;
}

/// Which batches stay: a part of `room` of all bytes, spread evenly, and no more than fit.
std::vector<bool> spread(const matrix_index& index, std::uint64_t room, std::uint64_t& resident) {
    const double part = static_cast<double>(room) /
                        static_cast<double>(std::max<std::uint64_t>(1, index.batch_bytes()));
    std::vector<bool> stays(index.batches.size());
    double due = 0;
    for (std::size_t b = 0; b < stays.size(); ++b) {
        const std::uint64_t bytes = index.batches[b].bytes;
        due += part * static_cast<double>(bytes);
        if (due < static_cast<double>(resident + bytes) || resident + bytes > room) continue;
        stays[b] = true;
        resident += bytes;
    }
    for (std::size_t b = 0; b < stays.size(); ++b)  // what rounding left
        if (!stays[b] && resident + index.batches[b].bytes <= room) {
            stays[b] = true;
            resident += index.batches[b].bytes;
        }
    return stays;
}

storage::store_options store_of(const std::string& path, const product_options& how) {
    storage::store_options wanted;
    wanted.engine = how.engine;
    wanted.who = how.who;
    wanted.memory = how.memory;
    wanted.behind = how.behind;
    bool direct = how.direct;
    if (how.memory.empty() && !how.behind) {
        const std::size_t unit = files::direct_unit_of(path);
        direct = direct && unit > 0 && unit <= batch_unit;
        wanted.files.paths = {path};
        wanted.files.padded = true;
    }
    wanted.files.cache = storage::cache_of(how.engine, direct);
    wanted.threads = how.readers;
    wanted.requests = how.readers * how.depth;
    wanted.largest_block = how.request;
    return wanted;
}

std::vector<storage::byte_range> ranges_of(const matrix_index& index) {
    std::vector<storage::byte_range> ranges;
    for (const batch_record& batch : index.batches) ranges.push_back({batch.offset, batch.bytes});
    return ranges;
}

/// What reads ahead while all of a matrix is loaded, or what is not resident.
storage::reader_options reader_of(const product_options& how) {
    storage::reader_options options;
    options.ahead = how.ahead;
    options.readers = how.readers;
    options.depth = how.depth;
    options.request = how.request;
    return options;
}

/// Memory of the CPU that a processor writes sums to.
memory::kind sums_memory(processor who) {
    return who.is_gpu() ? memory::kind::pinned : memory::kind::pageable;
}

}  // namespace

product_forecast forecast(const matrix_index& index, const product_options& how) {
    product_forecast ahead;
    const std::uint64_t size = index.batch_bytes(), largest = largest_batch(index);
    ahead.whole = true;
    const std::uint64_t whole = scratch_of(lists_of(index, ahead, how.who), how);
    ahead.whole = false;
    const std::uint64_t apart = scratch_of(lists_of(index, ahead, how.who), how);
    const std::uint64_t slots = (how.ahead + 1) * largest;
    ahead.least = apart + slots + margin;
    if (how.fast_memory > 0 && how.fast_memory < ahead.least)
        throw usage_error("fast memory of " + bytes_text(how.fast_memory) +
                          " is too small for this matrix in batches of " + bytes_text(largest) +
                          "; give " + bytes_text(ahead.least) + " or more");
    if (how.fast_memory == 0 || how.fast_memory >= whole + size + slots + margin) {
        ahead.whole = true;
        ahead.resident = size;
        ahead.memory = whole + size + slots + margin;  // slots while it is loaded
        ahead.stays.assign(index.batches.size(), true);
        return ahead;
    }
    ahead.stays = spread(index, how.fast_memory - apart - slots - margin, ahead.resident);
    ahead.read = size - ahead.resident;
    ahead.memory = apart + slots + ahead.resident + margin;
    return ahead;
}

matrix_product::matrix_product(const std::string& path, const matrix_index& index,
                               const product_options& how)
    : path_(path),
      index_(index),
      how_(how),
      ahead_(forecast(index, how)),
      plan_(std::in_place, index, lists_of(index, ahead_, how.who), how.who),
      projected_(own_memory(how.who),
                 std::max<std::size_t>(1, plan_->most_projections() * how.systems),
                 {.device = how.who.number}),
      sums_(sums_memory(how.who), largest_batch(index) / batch_unit, {.device = how.who.number}),
      store_(std::in_place, store_of(path, how)) {
    if (ahead_.whole) {
        whole_.emplace(own_memory(how.who), index.batch_bytes(),
                       memory::placement{.device = how.who.number});
        load(nullptr);
    } else {
        storage::reader_options options = reader_of(how);
        options.resident = ahead_.stays;
        reader_.emplace(*store_, ranges_of(index), options);
    }
}

/// Reads all batches into one piece of memory.
void matrix_product::load(stream_t stream) {
    storage::ordered_reader reader(*store_, ranges_of(index_), reader_of(how_));
    for (std::size_t b = 0; b < index_.batches.size(); ++b) {
        const storage::ordered_reader::piece from = reader.next(stream);
        verify(b, from.data, stream);
        std::byte* const to = whole_->data() + index_.batches[b].offset - batch_unit;
        if (how_.who.is_gpu())
            device::copy(to, from.data, from.bytes, stream);
        else
            std::memcpy(to, from.data, from.bytes);
    }
    if (how_.who.is_gpu()) device::synchronize(stream);
    read_before_ = index_.batch_bytes();
    waited_before_ = reader.seconds_waited();
}

void matrix_product::apply(double* y, const double* x, std::size_t systems, stream_t stream) {
    if (systems > how_.systems)
        throw usage_error("a product of " + std::to_string(systems) +
                          " right-hand sides, and memory was taken for " +
                          std::to_string(how_.systems));
    vectors_on(how_.who).clear(y, index_.head.of.triangles * systems, stream);
    if (ahead_.whole) {
        multiply(0, whole_->data(), y, x, systems, stream);
    } else {
        for (std::size_t b = 0; b < index_.batches.size(); ++b) {
            const storage::ordered_reader::piece batch = reader_->next(stream);
            if (products_ == 0) verify(b, batch.data, stream);
            multiply(b, batch.data, y, x, systems, stream);
        }
    }
    ++products_;
}

void matrix_product::multiply(std::size_t group, const std::byte* data, double* y, const double* x,
                              std::size_t systems, stream_t stream) {
    const group_view view = plan_->group(group);
    const auto run = [&](const auto& kernels) {
        kernels.project(view, data, x, projected_.data(), systems, stream);
        kernels.accumulate(view, data, x, projected_.data(), y, systems, stream);
    };
    if (index_.type() == precision::single_precision)
        run(product_on<float>(how_.who));
    else
        run(product_on<double>(how_.who));
}

void matrix_product::verify(std::size_t batch, const std::byte* data, stream_t stream) {
    const batch_record& of = index_.batches[batch];
    const std::size_t rows = of.bytes / batch_unit;
    memory::rows_on(how_.who).checksum(sums_.data(), {const_cast<std::byte*>(data), batch_unit},
                                       rows, batch_unit, 0, stream);
    if (how_.who.is_gpu()) device::synchronize(stream);
    if (std::accumulate(sums_.data(), sums_.data() + rows, std::uint64_t{0}) == of.checksum) return;
    throw file_error(path_ + ": is damaged: " + std::to_string(of.bytes) + " bytes at " +
                     std::to_string(of.offset) + " do not have their checksum");
}

std::uint64_t matrix_product::bytes_read() const {
    return read_before_ + (reader_ ? reader_->bytes_read() : 0);
}

double matrix_product::seconds_waited() const {
    return waited_before_ + (reader_ ? reader_->seconds_waited() : 0);
}

}  // namespace watari::hmatrix
