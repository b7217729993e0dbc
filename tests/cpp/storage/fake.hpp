// A store in memory for tests of the cache: it has a volatile write cache, fails on demand and
// records writes.
#pragma once

#include "watari/core/parallel/warp.hpp"
#include "watari/storage/nvme/nvme.hpp"

#include <atomic>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace watari {

struct fake_device {
    static constexpr std::uint32_t block_bytes = 512;

    explicit fake_device(std::uint64_t blocks)
        : now(blocks * block_bytes), medium(now.size()), block_writes(blocks) {}

    std::mutex lock;
    std::vector<std::byte> now;     ///< data that a read returns
    std::vector<std::byte> medium;  ///< data that survive a power cut
    std::vector<unsigned> block_writes;
    std::set<std::uint64_t> bad_reads, bad_writes;  ///< first blocks of commands that fail
    std::function<void(std::uint64_t block)> before_read = [](std::uint64_t) {};
    unsigned reads = 0, writes = 0, flushes = 0;

    std::uint64_t blocks() const { return now.size() / block_bytes; }
};

struct fake_store {
    fake_device* device;
    std::uint64_t blocks;
    std::uint32_t block_bytes = fake_device::block_bytes;

    explicit fake_store(fake_device& d) : device(&d), blocks(d.blocks()) {}

    storage::status read(const cpu::group&, std::uint64_t block, std::uint32_t count,
                         void* to) const {
        device->before_read(block);
        const std::lock_guard guard(device->lock);
        ++device->reads;
        if (device->bad_reads.contains(block)) return storage::unrecovered_read;
        if (block + count > blocks) return storage::lba_out_of_range;
        std::memcpy(to, device->now.data() + block * block_bytes, count * block_bytes);
        return {};
    }

    storage::status write(const cpu::group&, std::uint64_t block, std::uint32_t count,
                          const void* from, bool fua) const {
        const std::lock_guard guard(device->lock);
        ++device->writes;
        if (device->bad_writes.contains(block)) return storage::write_fault;
        if (block + count > blocks) return storage::lba_out_of_range;
        const std::size_t first = block * block_bytes, bytes = count * block_bytes;
        std::memcpy(device->now.data() + first, from, bytes);
        if (fua) std::memcpy(device->medium.data() + first, from, bytes);
        for (std::uint32_t b = 0; b < count; ++b) ++device->block_writes[block + b];
        return {};
    }

    storage::status flush(const cpu::group&) const {
        const std::lock_guard guard(device->lock);
        ++device->flushes;
        device->medium = device->now;
        return {};
    }
};

}  // namespace watari
