#include "watari/storage/ram.hpp"

#include "watari/memory/buffer.hpp"

#include <cstring>
#include <optional>

namespace watari::storage {

namespace {

/// Ends each command while it is submitted.
class ram_lane final : public lane {
public:
    explicit ram_lane(std::byte* data) : data_(data) {}

    bool submit(const request& command) override {
        std::byte* at = data_ + command.offset;
        for (const memory_range& range : command.ranges) {
            if (command.operation == opcode::read)
                std::memcpy(range.data, at, range.bytes);
            else
                std::memcpy(at, range.data, range.bytes);
            at += range.bytes;
        }
        ended_.push_back({command.queue, command.cid, success});
        return true;
    }

    void reap(std::vector<ending>& ended) override {
        ended.insert(ended.end(), ended_.begin(), ended_.end());
        ended_.clear();
    }

    std::size_t under_way() const override { return ended_.size(); }

private:
    std::byte* data_;
    std::vector<ending> ended_;
};

class ram final : public backend {
public:
    explicit ram(std::span<std::byte> data) : data_(data) {}
    explicit ram(std::size_t bytes) : own_(std::in_place, memory::kind::pageable, bytes) {
        data_ = {own_->data(), bytes};
        std::memset(own_->data(), 0, bytes);
    }

    std::uint64_t bytes() const override { return data_.size(); }
    std::unique_ptr<lane> open_lane(const user_memory&) override {
        return std::make_unique<ram_lane>(data_.data());
    }

private:
    std::optional<memory::buffer<std::byte>> own_;
    std::span<std::byte> data_;
};

}  // namespace

std::shared_ptr<backend> make_ram(std::size_t bytes) { return std::make_shared<ram>(bytes); }

std::shared_ptr<backend> make_ram(std::span<std::byte> data) { return std::make_shared<ram>(data); }

}  // namespace watari::storage
