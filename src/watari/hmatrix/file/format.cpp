#include "watari/hmatrix/file/format.hpp"

#include "watari/core/error.hpp"
#include "watari/files/file_state.hpp"
#include "watari/memory/rows.hpp"

#include <bit>
#include <cstddef>
#include <cstring>

namespace watari::hmatrix {

static_assert(std::endian::native == std::endian::little);
static_assert(sizeof(leaf_record) == 32 && sizeof(batch_record) == 40 && sizeof(file_head) == 112);

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
    throw file_error(path + ": " + reason);
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

/// Bytes of an index with so many entries.
std::uint64_t index_size(const file_head& head) {
    return (head.of.triangles * 4 + 7) / 8 * 8 + head.leaves * sizeof(leaf_record) +
           head.batches * sizeof(batch_record);
}

file_head read_head(const std::string& path, int file) {
    const std::string bytes = files::bytes_of(file, 0, batch_unit);
    file_head head;
    if (bytes.size() < sizeof head || std::memcmp(bytes.data(), head.magic.data(), 8) != 0)
        refuse(path, "is not a finished H-matrix of watari");
    std::memcpy(&head, bytes.data(), sizeof head);
    if (head.version != format_version)
        refuse(path, "has version " + std::to_string(head.version) + " of the format, and only " +
                         std::to_string(format_version) + " is known");
    if (head.checksum != checksum_of(&head, offsetof(file_head, checksum)))
        refuse(path, "is damaged: the checksum of its head is not right");
    return head;
}

void require_coverage(const std::string& path, const matrix_index& index) {
    std::uint64_t next = 0, end = batch_unit;
    for (const batch_record& batch : index.batches) {
        const bool follows = batch.offset == end && batch.first_leaf == next && batch.leaves > 0 &&
                             batch.leaves <= index.leaves.size() - next;
        if (!follows) refuse(path, "is damaged: its batches do not follow each other");
        next += batch.leaves;
        end += batch.bytes;
    }
    if (next != index.leaves.size() || end != index.head.index_offset)
        refuse(path, "is damaged: its batches do not have all leaves");
}

}  // namespace

std::uint64_t matrix_index::batch_bytes() const {
    std::uint64_t sum = 0;
    for (const batch_record& batch : batches) sum += batch.bytes;
    return sum;
}

std::uint64_t checksum_of(const void* data, std::size_t bytes) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < bytes / 8; ++i) {
        std::uint64_t word;
        std::memcpy(&word, static_cast<const std::byte*>(data) + 8 * i, 8);
        sum += memory::mixed(word, i);
    }
    return sum;
}

std::string head_bytes(file_head head) {
    head.checksum = checksum_of(&head, offsetof(file_head, checksum));
    std::string bytes(batch_unit, '\0');
    std::memcpy(bytes.data(), &head, sizeof head);
    return bytes;
}

std::string index_bytes(const matrix_index& index) {
    std::string bytes;
    put(bytes, index.order);
    put(bytes, index.leaves);
    put(bytes, index.batches);
    return bytes;
}

matrix_index read_index(const std::string& path) {
    const files::descriptor file(path, O_RDONLY | O_CLOEXEC);
    matrix_index index{read_head(path, file.get()), {}, {}, {}};
    const file_head& head = index.head;
    const std::uint64_t there = files::file_state::of(file.get()).bytes;
    if (there < head.index_offset || there - head.index_offset < head.index_bytes)
        refuse(path, "is truncated: it has " + bytes_text(there) + ", and its index ends at " +
                         bytes_text(head.index_offset + head.index_bytes));
    const std::string bytes = files::bytes_of(file.get(), head.index_offset, head.index_bytes);
    if (bytes.size() != index_size(head) ||
        checksum_of(bytes.data(), bytes.size()) != head.index_checksum)
        refuse(path, "is damaged: the checksum of its index is not right");
    std::size_t at = 0;
    take(index.order, head.of.triangles, bytes, at);
    take(index.leaves, head.leaves, bytes, at);
    take(index.batches, head.batches, bytes, at);
    require_coverage(path, index);
    return index;
}

}  // namespace watari::hmatrix
