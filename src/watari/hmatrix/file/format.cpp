#include "watari/hmatrix/file/format.hpp"

#include "watari/core/backend.hpp"
#include "watari/core/error.hpp"
#include "watari/memory/rows/rows.hpp"

#include <bit>
#include <cstddef>
#include <cstring>

namespace watari::hmatrix {

static_assert(std::endian::native == std::endian::little);
static_assert(sizeof(leaf_record) == 32 && sizeof(identity) == 48 && sizeof(file_head) == 104);

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
    throw file_error(path + ": " + reason);
}

[[noreturn]] void refuse_damaged(const std::string& path, const std::string& reason) {
    refuse(path, "is damaged: " + reason + "; remove it, and the next run builds it");
}

template <class Element>
void put(std::string& to, const std::vector<Element>& values) {
    to.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Element));
    to.resize((to.size() + 7) / 8 * 8);
}

template <class Element>
void take(std::vector<Element>& values, std::size_t count, const std::string& from,
          std::size_t& at) {
    values.resize(count);
    std::memcpy(values.data(), from.data() + at, count * sizeof(Element));
    at = (at + count * sizeof(Element) + 7) / 8 * 8;
}

/// Bytes of the index that a head describes.
std::uint64_t index_size(const file_head& head) {
    return (head.of.triangles * 4 + 7) / 8 * 8 + head.leaves * sizeof(leaf_record) +
           (head.index_offset - page_bytes) / page_bytes * sizeof(std::uint64_t);
}

file_head read_head(const matrix_files& from) {
    const std::string& path = from.path();
    const std::string bytes = from.read(0, page_bytes);
    file_head head;
    if (bytes.size() < sizeof head || std::memcmp(bytes.data(), head.magic.data(), 8) != 0)
        refuse(path, "is not a finished H-matrix of watari");
    std::memcpy(&head, bytes.data(), sizeof head);
    if (head.version != format_version)
        refuse(path, "has version " + std::to_string(head.version) + " of the format, and only " +
                         std::to_string(format_version) + " is known; build it again");
    if (head.checksum != checksum_of(&head, offsetof(file_head, checksum)))
        refuse_damaged(path, "the checksum of its head is wrong");
    if (head.others + std::size_t{1} != from.count())
        refuse(path, "is striped over " + std::to_string(head.others + std::size_t{1}) +
                         " files, not " + std::to_string(from.count()));
    if (head.index_offset < page_bytes || head.index_offset % page_bytes != 0)
        refuse_damaged(path, "its index does not begin at a page");
    if (std::uint64_t{head.of.first_row} + head.of.rows > head.of.triangles || head.of.rows == 0)
        refuse_damaged(path, "its rows do not belong to its triangles");
    return head;
}

/// Throws file_error unless the leaves follow each other, within the pages that have checksums.
void require_coverage(const std::string& path, const matrix_index& index) {
    std::uint64_t end = page_bytes;
    for (const leaf_record& leaf : index.leaves) {
        if (leaf.offset < end || leaf.offset % leaf_unit != 0)
            refuse_damaged(path, "its leaves do not follow each other");
        end = leaf.offset + leaf.elements() * index.head.of.element_bytes;
    }
    if (index.leaves.empty() || end > index.head.index_offset)
        refuse_damaged(path, "its leaves do not end where its index begins");
}

}  // namespace

void matrix_index::require(const std::string& path, std::uint64_t offset, std::uint64_t sum) const {
    if (sum != sum_of(offset))
        refuse_damaged(path, "the " + std::to_string(page_bytes) + " bytes at " +
                                 std::to_string(offset) + " have a wrong checksum");
}

std::string leaf_bytes(const matrix_files& from, const matrix_index& index,
                       const leaf_record& leaf) {
    const std::uint64_t bytes = leaf.elements() * index.head.of.element_bytes;
    const std::uint64_t first = leaf.offset / page_bytes * page_bytes;
    const std::uint64_t end = (leaf.offset + bytes + page_bytes - 1) / page_bytes * page_bytes;
    std::string pages = from.read(first, end - first);
    pages.resize(end - first);  // a truncated file has wrong checksums
    for (std::uint64_t at = first; at < end; at += page_bytes)
        index.require(from.path(), at, checksum_of(&pages[at - first], page_bytes, at / 8));
    return pages.substr(leaf.offset - first, bytes);
}

std::vector<batch> batches_of(const matrix_index& index, std::uint64_t bytes) {
    std::vector<batch> all;
    const std::uint64_t element = index.head.of.element_bytes;
    for (std::size_t i = 0; i < index.leaves.size(); ++i) {
        const leaf_record& leaf = index.leaves[i];
        const std::uint64_t first = leaf.offset / page_bytes * page_bytes;
        const std::uint64_t last = leaf.offset + leaf.elements() * element;
        const std::uint64_t end = (last + page_bytes - 1) / page_bytes * page_bytes;
        if (!all.empty() && end - all.back().offset <= bytes) {
            all.back().bytes = end - all.back().offset;
            ++all.back().leaves;
        } else {
            all.push_back({first, end - first, i, 1});
        }
    }
    return all;
}

WATARI_CLONES std::uint64_t checksum_of(const void* data, std::size_t bytes, std::uint64_t first) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < bytes / 8; ++i) {
        std::uint64_t word;
        std::memcpy(&word, static_cast<const std::byte*>(data) + 8 * i, 8);
        sum += memory::mixed(word, first + i);
    }
    return sum;
}

std::string head_bytes(file_head head) {
    head.checksum = checksum_of(&head, offsetof(file_head, checksum));
    std::string bytes(page_bytes, '\0');
    std::memcpy(bytes.data(), &head, sizeof head);
    return bytes;
}

std::string index_bytes(const matrix_index& index) {
    std::string bytes;
    put(bytes, index.order);
    put(bytes, index.leaves);
    put(bytes, index.sums);
    return bytes;
}

matrix_index read_index(const matrix_paths& paths) {
    const matrix_files from(paths);
    const std::string& path = paths.first();
    matrix_index index{read_head(from), {}, {}, {}};
    const file_head& head = index.head;
    const std::uint64_t there = from.bytes();
    if (there < head.index_offset || there - head.index_offset < head.index_bytes)
        refuse_damaged(path, "it has " + bytes_text(there) + ", and its index ends at " +
                                 bytes_text(head.index_offset + head.index_bytes));
    const std::string bytes = from.read(head.index_offset, head.index_bytes);
    if (bytes.size() != index_size(head) ||
        checksum_of(bytes.data(), bytes.size()) != head.index_checksum)
        refuse_damaged(path, "the checksum of its index is wrong");
    std::size_t at = 0;
    take(index.order, head.of.triangles, bytes, at);
    take(index.leaves, head.leaves, bytes, at);
    take(index.sums, index.data_bytes() / page_bytes, bytes, at);
    require_coverage(path, index);
    return index;
}

}  // namespace watari::hmatrix
