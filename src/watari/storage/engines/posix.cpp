// Engine `posix`: pread and pwrite, one block after the other; to a GPU through pinned memory and
// cudaMemcpyAsync. It is the CPU path that GPU-initiated access is compared with (Hanawa 2025).
#include "watari/storage/engines/rows.hpp"
#include "watari/storage/engines/staging.hpp"

#include <unistd.h>
#include <cerrno>

namespace watari::storage {

namespace {

class posix_engine final : public engine {
public:
    explicit posix_engine(const duty& what) : engine(what), staging_(what) {}

    void run(std::span<const std::uint64_t> offsets, std::span<double> seconds) override {
        double start = now();
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            move(offsets[i], what_.memory + i * what_.block);
            const double end = now();
            seconds[i] = end - start;
            start = end;
        }
    }

private:
    void move(std::uint64_t offset, std::byte* data) {
        const place at = what_.files->files().locate(offset);
        const int file = what_.files->descriptor_of(at.file);
        const auto start = static_cast<off_t>(at.offset);
        std::byte* side = staging_.before(what_.way, data);
        ssize_t moved = 0;
        do
            moved = what_.way == direction::read ? pread(file, side, what_.block, start)
                                                 : pwrite(file, side, what_.block, start);
        while (moved < 0 && errno == EINTR);
        if (moved != static_cast<ssize_t>(what_.block))
            transfer_failed(what_.way, what_.files->path(at.file), at.offset, what_.block,
                            moved < 0 ? -errno : moved);
        staging_.after(what_.way, data);
    }

    staging staging_;
};

}  // namespace

std::string posix_unsupported(const duty&) { return ""; }

std::unique_ptr<engine> make_posix(const duty& what) {
    return std::make_unique<posix_engine>(what);
}

}  // namespace watari::storage
