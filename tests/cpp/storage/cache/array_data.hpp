/// An array over a controller in memory that a test can read.
#pragma once

#include "watari/storage/backends/ram.hpp"
#include "watari/storage/cache/array.hpp"
#include "watari/storage/cache/mapped.hpp"
#include "watari/storage/controller/controller.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace watari {

constexpr std::uint32_t transfer = 8192;  ///< bytes of a command, at most

/// A namespace over memory that the test can read, and an array of it.
struct rig {
    rig(std::size_t bytes, std::size_t cache_bytes, std::size_t page_bytes,
        std::uint32_t block_bytes = 512)
        : data(bytes / 8),
          disk(storage::make_ram(std::as_writable_bytes(std::span(data))),
               {.queues = {.queues = 2, .depth = 16, .max_transfer = transfer},
                .block_bytes = block_bytes}),
          mapped(disk.view(), {.bytes = cache_bytes, .page_bytes = page_bytes}),
          array(mapped.array()) {}

    std::vector<std::uint64_t> data;
    storage::controller disk;
    cpu::mapped<std::uint64_t> mapped;
    cpu::array<std::uint64_t> array;
};

}  // namespace watari
