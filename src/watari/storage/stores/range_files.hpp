/// Byte ranges of a user's files, moved to or from memory by an engine: the data of arrays in any
/// format (python/watari/arrays).
///
///     range_files file({{"A.npy"}});
///     const byte_block whole[] = {{.file = 0, .offset = 128, .bytes = 1 << 20, .memory = to}};
///     file.move(whole, {.memory = {to, 1 << 20}});
///
/// Ranges begin at any byte, so the files are open through the page cache. Engine cufile alone
/// accepts any byte `past_cache` too, and works in no other way. Threads may share a range_files:
/// each call has engines of its own.
#pragma once

#include "watari/files/file_state.hpp"
#include "watari/storage/stores/open_store.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace watari::storage {

/// Contiguous bytes of a file, whose equal parts lie `stride` bytes apart in memory.
struct byte_block {
    std::size_t file = 0;
    std::uint64_t offset = 0;  ///< bytes
    std::size_t bytes = 0;     ///< of all parts
    std::size_t parts = 1;
    std::size_t stride = 0;  ///< unused if parts is 1
    std::byte* memory = nullptr;
};

struct range_use {
    std::string engine = "posix";   ///< a row of storage::engines() that opens files
    processor who = the_cpu;        ///< processor that `memory` belongs to
    std::span<std::byte> memory{};  ///< contains all locations
    std::size_t threads = 0;        ///< at most; 0: as many as suit the bytes
};

class range_files {
public:
    /// Opens the files. Throws usage_error, file_error (not a regular file), system_error.
    explicit range_files(std::vector<std::string> paths,
                         files::direction direction = files::direction::read,
                         bool past_cache = false);

    range_files(const range_files&) = delete;
    range_files& operator=(const range_files&) = delete;

    std::size_t count() const { return states_.size(); }
    /// Bytes of a file when it was opened.
    std::uint64_t bytes(std::size_t file) const { return states_[file].bytes; }

    /// Moves the blocks and returns the engines' notes. Throws usage_error for a block outside its
    /// file or the memory, unsupported, and what the engine throws. If another process changes a
    /// file that is read, throws file_error.
    std::vector<std::string> move(std::span<const byte_block> blocks, const range_use& how) const;

    /// Makes what was written durable.
    void sync() const { opened_.sync(); }

private:
    void require_unchanged() const;
    void require_inside(const byte_block& block, const range_use& how) const;

    files::direction direction_;
    files::striped_files opened_;
    std::vector<files::file_state> states_;
};

}  // namespace watari::storage
