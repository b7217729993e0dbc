// Engine `posix`: pread and pwrite (preadv and pwritev for blocks in parts), one block after the
// other; to a GPU through pinned memory and its copy engines. It is the CPU path that GPU-initiated
// access is compared with (Hanawa 2025).
#include "watari/storage/engines/modelled_time.hpp"
#include "watari/storage/engines/rows.hpp"
#include "watari/storage/engines/staging.hpp"

#include <sys/uio.h>
#include <unistd.h>
#include <cerrno>

namespace watari::storage {

namespace {

class posix_engine final : public engine {
public:
    explicit posix_engine(const engine_options& options)
        : engine(options), staging_(options), held_(options) {}

    void run(const requests& list) override {
        one_by_one(list, [&](std::size_t i) { move(list, i); });
    }

    std::optional<double> gpu_seconds() const override { return staging_.gpu_seconds(); }

private:
    void move(const requests& list, std::size_t i) {
        const files::striped_files::piece at =
            options_.files->piece_at(list.offsets[i], list.block);
        const int file = options_.files->descriptor_of(at.file);
        const auto start = static_cast<off_t>(at.offset);
        const std::span pieces = staging_.before(options_.direction, list, i);
        const std::int64_t due = held_.is_on() ? held_.begin(list.offsets[i], list.block) : 0;
        const int count = static_cast<int>(pieces.size());
        ssize_t moved = 0;
        do
            moved = pieces.size() == 1 ? transfer(file, pieces[0], start)
                    : options_.direction == files::direction::read
                        ? preadv(file, pieces.data(), count, start)
                        : pwritev(file, pieces.data(), count, start);
        while (moved < 0 && errno == EINTR);
        if (moved != static_cast<ssize_t>(options_.files->expected(at)))
            files::transfer_failed(options_.direction, options_.files->path(at.file), at.offset,
                                   list.block, moved < 0 ? -errno : moved);
        if (held_.is_on()) {
            modelled_time::wait_until(due);
            held_.end(list.offsets[i], list.block);
        }
        staging_.after(options_.direction, list, i);
    }

    ssize_t transfer(int file, const iovec& piece, off_t start) const {
        return options_.direction == files::direction::read
                   ? pread(file, piece.iov_base, piece.iov_len, start)
                   : pwrite(file, piece.iov_base, piece.iov_len, start);
    }

    staging staging_;
    modelled_time held_;
};

}  // namespace

std::string posix_unsupported(const engine_options&) { return ""; }

std::unique_ptr<engine> make_posix(const engine_options& options) {
    return std::make_unique<posix_engine>(options);
}

}  // namespace watari::storage
