/// The engines of one thread: one for each store, all in one direction.
#pragma once

#include "watari/core/device.hpp"
#include "watari/files/file_error.hpp"
#include "watari/memory/rows/realign.hpp"
#include "watari/memory/rows/widen.hpp"
#include "watari/storage/engines/notes.hpp"
#include "watari/storage/stores/open_store.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace watari::storage {

/// Blocks of a store and their location in memory: one step of a list of reads or writes.
struct block_list {
    const open_store* store = nullptr;
    std::vector<std::uint64_t> offsets{};  ///< bytes; this member and the next ones as in
                                           ///< `requests`
    std::byte* memory = nullptr;
    std::size_t block = 0, parts = 1, stride = 0, overlap = 0, tail = 0;
    std::byte* tail_memory = nullptr;
    /// Bytes of a block before the others and of one after them; only if parts is 1.
    std::uint64_t head_offset = 0, rest_offset = 0;
    std::size_t head = 0, rest = 0;
    /// The rows of a part, realigned after they were read. `data` is not used; if `skip_step` is 0
    /// the rows need no realignment.
    memory::skewed_rows rows{};
    /// If `to` is set, the blocks are halves: they are read into the thread's landing, and their
    /// rows become floats there. `from` is not used, nor is `memory`; parts is 1.
    memory::half_rows widened{};

    std::size_t bytes() const { return head + offsets.size() * block + rest; }
};

/// Bounds on the lists that a thread will move for a store: bytes of a block, and blocks of a list.
struct store_use {
    const open_store* store;
    std::size_t block, blocks;
};

struct engine_use {
    processor who;
    files::direction direction;
    std::size_t depth;            ///< requests in flight, if the engine allows several
    std::span<std::byte> memory;  ///< contains all locations
    /// Part of `memory`, for blocks that become floats; a team divides it among its threads.
    std::span<std::byte> landing{};
};

class store_engines {
public:
    /// Makes the engines of the calling thread in advance, so that no list waits for it. A use
    /// without a store is ignored. Throws what opening an engine throws.
    store_engines(const engine_use& how, std::span<const store_use> uses);

    /// Moves the blocks and returns their bytes. Throws what the engine throws, with the file's
    /// name.
    std::size_t move(const block_list& list);

    /// Makes earlier writes to a store durable.
    void flush(const open_store& store);

    /// Adds the notes of all engines to `to`.
    void add_notes(notes& to) const;

    /// The stream for this thread's own kernels; null on the CPU.
    stream_t stream() const { return stream_ ? stream_->get() : nullptr; }

private:
    struct opened_engine {
        std::unique_ptr<engine> by;
        std::size_t block;  ///< bytes of its largest request
    };

    std::size_t move_to(const block_list& list, std::byte* memory);

    engine_use how_;
    std::optional<device::stream> stream_;
    std::map<const open_store*, opened_engine> engines_;
};

}  // namespace watari::storage
