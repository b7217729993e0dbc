#include "watari/storage/backends/ram.hpp"

#include "watari/memory/buffer.hpp"
#include "watari/storage/nvme/queue_memory.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace watari::storage {

namespace {

/// Copies each range a little later than submitted: meanwhile the first lines of its source are
/// prefetched, since a random read spends its time on these misses.
class ram_channel final : public io_channel {
public:
    explicit ram_channel(std::byte* data) : data_(data) {}

    bool submit(const request& command) override {
        std::byte* at = data_ + command.offset;
        const bool reads = command.operation == opcode::read;
        for (const memory_range& range : command.ranges) {
            const copy one =
                reads ? copy{range.data, at, range.bytes} : copy{at, range.data, range.bytes};
            for (std::size_t line = 0; line < std::min(one.bytes, ahead); line += 64)
                __builtin_prefetch(one.from + line);
            waiting_[next_ % waiting_.size()].run();
            waiting_[next_++ % waiting_.size()] = one;
            at += range.bytes;
        }
        ended_.push_back({command.queue, command.cid, success});
        return true;
    }

    void reap(std::vector<ending>& ended) override {
        for (copy& one : waiting_) one.run();
        ended.insert(ended.end(), ended_.begin(), ended_.end());
        ended_.clear();
    }

    std::size_t under_way() const override { return ended_.size(); }

private:
    static constexpr std::size_t ahead = 1024;  ///< bytes; by then the processor prefetches the
                                                ///< stream itself

    struct copy {
        std::byte* to = nullptr;
        const std::byte* from = nullptr;
        std::size_t bytes = 0;
        void run() {
            if (bytes > 0) std::memcpy(to, from, bytes);
            bytes = 0;
        }
    };

    std::byte* data_;
    std::array<copy, 4> waiting_;
    std::size_t next_ = 0;
    std::vector<ending> ended_;
};

class ram final : public backend {
public:
    explicit ram(std::span<std::byte> data) : data_(data) {}
    explicit ram(std::size_t bytes)
        : own_(std::in_place, memory::kind::pageable, bytes, memory::huge_placement()) {
        data_ = {own_->data(), bytes};
        std::memset(own_->data(), 0, bytes);
    }

    std::uint64_t bytes() const override { return data_.size(); }
    std::unique_ptr<io_channel> open_channel(const user_memory&) override {
        return std::make_unique<ram_channel>(data_.data());
    }

private:
    std::optional<memory::buffer<std::byte>> own_;
    std::span<std::byte> data_;
};

}  // namespace

std::shared_ptr<backend> make_ram(std::size_t bytes) { return std::make_shared<ram>(bytes); }

std::shared_ptr<backend> make_ram(std::span<std::byte> data) { return std::make_shared<ram>(data); }

}  // namespace watari::storage
