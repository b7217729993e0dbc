#include "watari/storage/file.hpp"

#include "watari/storage/uring.hpp"

namespace watari::storage {

namespace {

class file_backend final : public backend {
public:
    explicit file_backend(const file_options& options)
        : files_(options), writable_(options.writable) {
        const std::string reason = options.uring ? uring_absent_reason() : "as was asked for";
        uring_ = reason.empty();
        if (!uring_) notice_ = "pread instead of io_uring: " + reason;
    }
    std::uint64_t bytes() const override { return files_.bytes(); }
    std::uint32_t alignment() const override { return files_.alignment(); }
    std::string notice() const override { return notice_; }
    std::unique_ptr<lane> open_lane(const user_memory& memory) override {
        if (uring_) return open_uring_lane(files_, writable_, memory, notice_);
        return open_pread_lane(files_, writable_);
    }

private:
    striped_files files_;
    bool writable_, uring_;
    std::string notice_;
};

}  // namespace

std::shared_ptr<backend> make_file(const file_options& options) {
    return std::make_shared<file_backend>(options);
}

}  // namespace watari::storage
