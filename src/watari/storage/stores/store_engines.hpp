/// One thread's way to blocks of stores: an engine for each store, all in one direction.
#pragma once

#include "watari/core/device.hpp"
#include "watari/files/file_error.hpp"
#include "watari/memory/realign.hpp"
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

/// Blocks of a store and their location: what one step of a list reads, or writes.
struct block_list {
    const open_store* store = nullptr;
    std::vector<std::uint64_t> offsets{};  ///< bytes; this and what follows as in `requests`
    std::byte* memory = nullptr;
    std::size_t block = 0, parts = 1, stride = 0, overlap = 0;
    std::uint64_t rest_offset = 0;
    std::size_t rest = 0;  ///< bytes of one more block, behind the others; of lists in one part
    /// The rows of a part, put where they should be once they have been read; `data` is not used,
    /// and without `skip_step` they lie there already.
    memory::skewed_rows rows{};

    std::size_t bytes() const { return offsets.size() * block + rest; }
};

/// Lists that a thread will have of a store: the largest block, and the most blocks of one.
struct store_use {
    const open_store* store;
    std::size_t block, blocks;
};

struct engine_use {
    processor who;
    files::direction direction;
    std::size_t depth;            ///< requests in flight, where an engine has several
    std::span<std::byte> memory;  ///< has all locations
};

class store_engines {
public:
    /// For the calling thread. Makes the engines, so that no list waits for that; a use without a
    /// store is none. Throws what opening an engine throws.
    store_engines(const engine_use& how, std::span<const store_use> uses);

    /// Moves the blocks; returns their bytes. Throws what the engine throws, with the file.
    std::size_t move(const block_list& list);

    /// What was written to a store is durable.
    void flush(const open_store& store);

    /// What the engines have to say.
    void add_notes(notes& to) const;

    /// For kernels beside the engines'; null on the CPU.
    stream_t stream() const { return stream_ ? stream_->get() : nullptr; }

private:
    struct opened_engine {
        std::unique_ptr<engine> by;
        std::size_t block;  ///< of its requests, at most
    };

    engine_use how_;
    std::optional<device::stream> stream_;
    std::map<const open_store*, opened_engine> engines_;
};

}  // namespace watari::storage
