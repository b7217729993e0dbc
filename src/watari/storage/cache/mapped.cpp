#include "watari/storage/cache/mapped.hpp"

#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/memory/move.hpp"
#include "watari/storage/nvme/status_text.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

namespace watari::storage {
namespace {

constexpr std::size_t stage_bytes = 8 << 20;

const namespace_view& checked(const namespace_view& space, const cache_size& size) {
    if (space.block_bytes == 0 || size.page_bytes % space.block_bytes != 0)
        throw usage_error("a cache page of " + bytes_text(size.page_bytes) +
                          " on a namespace of blocks of " + bytes_text(space.block_bytes) +
                          ": a page must be whole blocks");
    return space;
}

}  // namespace

mapping::mapping(const namespace_view& space, const cache_size& size, processor who)
    : who_(who),
      cache_((checked(space, size), size), who),
      view_{cache_.view(), space, space.blocks * space.block_bytes},
      run_(kernels_on<array_kernels>(who)),
      outcome_(memory::host_kind(who), 64) {
    if (who.is_gpu()) stage_.emplace(memory::kind::pinned, stage_bytes);
    *outcome() = 0;
}

void require_elements(std::uint64_t first, std::uint64_t count, std::uint64_t size) {
    if (count <= size && first <= size - count) return;
    throw error("storage: " + std::to_string(count) + " elements from " + std::to_string(first) +
                " on of an array of " + std::to_string(size) + ": " + text(lba_out_of_range));
}

mapping::~mapping() {
    try {
        flush();
    } catch (const error&) {  // ignored: see ~mapping in the header
    }
}

std::uint32_t* mapping::outcome() const { return static_cast<std::uint32_t*>(outcome_.data()); }

/// Waits; throws if a command failed.
void mapping::finish(const char* operation, std::uint64_t first, std::size_t bytes) {
    memory::wait(who_);
    const auto status = std::bit_cast<storage::status>(std::exchange(*outcome(), 0u));
    if (status.ok()) return;
    throw error("storage: " + std::string(operation) + " of " + bytes_text(bytes) + " at byte " +
                std::to_string(first) + ": " + text(status));
}

void mapping::read(std::uint64_t first, std::size_t bytes, void* to) {
    if (!who_.is_gpu()) {
        run_.read(view_, first, bytes, static_cast<std::byte*>(to), outcome(), nullptr);
        return finish("read", first, bytes);
    }
    auto* stage = static_cast<std::byte*>(stage_->data());
    for (std::size_t done = 0; done < bytes;) {
        const std::size_t some = std::min(bytes - done, stage_bytes);
        run_.read(view_, first + done, some, stage, outcome(), nullptr);
        finish("read", first + done, some);
        std::memcpy(static_cast<std::byte*>(to) + done, stage, some);
        done += some;
    }
}

void mapping::write(std::uint64_t first, std::size_t bytes, const void* from, bool durable) {
    if (!who_.is_gpu()) {
        run_.write(view_, first, bytes, static_cast<const std::byte*>(from), durable, outcome(),
                   nullptr);
        return finish("write", first, bytes);
    }
    auto* stage = static_cast<std::byte*>(stage_->data());
    for (std::size_t done = 0; done < bytes;) {
        const std::size_t some = std::min(bytes - done, stage_bytes);
        std::memcpy(stage, static_cast<const std::byte*>(from) + done, some);
        run_.write(view_, first + done, some, stage, durable, outcome(), nullptr);
        finish("write", first + done, some);
        done += some;
    }
}

void mapping::flush() {
    run_.flush(view_, outcome(), nullptr);
    finish("flush", 0, view_.bytes);
}

}  // namespace watari::storage
