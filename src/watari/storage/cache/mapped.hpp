/// mapped<T>: a namespace as an array, with a cache of its own in the memory of the processor that
/// this file is compiled for. Kernels and loops take `array()`; the host uses the same cache by
/// `read`, `write` and `flush`.
#pragma once

#include "watari/storage/cache/array.hpp"
#include "watari/storage/cache/array_kernels.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace watari::storage {

/// The untyped part: owns the cache. Its functions wait, and throw `error` with the store's
/// reason.
class mapping {
public:
    /// Throws usage_error if a page of the cache is not whole blocks, and what cache_owner throws.
    /// The view's users must be `who`; its controller must outlive this object.
    mapping(const namespace_view& space, const cache_size& size, processor who);
    mapping(const mapping&) = delete;
    mapping& operator=(const mapping&) = delete;
    /// Flushes and ignores a failure; call flush first to detect one.
    ~mapping();

    const cached_bytes& view() const noexcept { return view_; }
    cache_counters counters() const { return cache_.counters(); }

    /// Move bytes of the namespace to and from ordinary memory.
    void read(std::uint64_t first, std::size_t bytes, void* to);
    void write(std::uint64_t first, std::size_t bytes, const void* from, bool durable);
    void flush();

private:
    std::uint32_t* outcome() const;
    void finish(const char* what, std::uint64_t first, std::size_t bytes);

    processor who_;
    cache_owner cache_;
    cached_bytes view_;
    const array_kernels& run_;
    memory::block outcome_;
    std::optional<memory::block> stage_;  ///< pinned memory between a GPU and the caller's memory
};

/// Throws error unless an array of `size` elements has `count` of them from `first` on.
void require_elements(std::uint64_t first, std::uint64_t count, std::uint64_t size);

}  // namespace watari::storage

namespace watari::WATARI_BACKEND {

template <class T>
class mapped {
public:
    /// Maps a whole namespace through a cache of this size. `gpu` is the number of the GPU; ignored
    /// on a CPU.
    mapped(const namespace_view& space, const storage::cache_size& size, int gpu = 0)
        : all_(space, size, {executes, executes == processor::type::gpu ? gpu : 0}) {}

    std::uint64_t size() const { return all_.view().bytes / sizeof(T); }

    /// The array for kernels and loops; valid while this object lives.
    WATARI_BACKEND::array<T> array() const {
        const storage::cached_bytes& v = all_.view();
        return {{{v.cache}, {v.space, v.space.blocks, v.space.block_bytes}}, size()};
    }

    /// Reads `count` elements from `first` on, on the host.
    void read(std::uint64_t first, std::size_t count, T* to) {
        storage::require_elements(first, count, size());
        all_.read(first * sizeof(T), count * sizeof(T), to);
    }
    /// Writes elements. `durable`: they are on the store's medium when this returns.
    void write(std::uint64_t first, std::size_t count, const T* from, bool durable = false) {
        storage::require_elements(first, count, size());
        all_.write(first * sizeof(T), count * sizeof(T), from, durable);
    }
    /// Makes earlier writes durable, those of kernels that have ended, too.
    void flush() { all_.flush(); }

    storage::cache_counters counters() const { return all_.counters(); }

private:
    storage::mapping all_;
};

}  // namespace watari::WATARI_BACKEND
