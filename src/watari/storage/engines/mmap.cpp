// Engine `mmap`: the store is mapped memory in the kernel's page cache. A block is copied from or
// to the mapping; the kernel reads pages when they are touched. If a mapped file is truncated while
// in use, the thread that touches it gets SIGBUS, which becomes an error here.
#include "watari/core/error.hpp"
#include "watari/memory/host.hpp"
#include "watari/storage/engines/guarded_copy.hpp"
#include "watari/storage/engines/modelled_time.hpp"
#include "watari/storage/engines/rows.hpp"
#include "watari/storage/engines/staging.hpp"

#include <sys/mman.h>
#include <cerrno>

namespace watari::storage {

namespace {

class mapping {
public:
    mapping(const files::striped_files& files, std::size_t number, const engine_options& options)
        : bytes_(files.file_bytes(number)) {
        const int protection =
            options.direction == files::direction::read ? PROT_READ : PROT_READ | PROT_WRITE;
        void* mapped =
            ::mmap(nullptr, bytes_, protection, MAP_SHARED, files.descriptor_of(number), 0);
        if (mapped == MAP_FAILED) throw system_error("mmap of " + files.path(number), errno);
        data_ = static_cast<std::byte*>(mapped);
        madvise(data_, bytes_, options.pattern == pattern::random ? MADV_RANDOM : MADV_SEQUENTIAL);
    }
    mapping(mapping&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
    mapping& operator=(mapping&&) = delete;
    ~mapping() {
        if (data_) munmap(data_, bytes_);
    }
    /// Begins to read all pages of a block at once. Without it, each page is read when it is
    /// touched.
    void bring(std::uint64_t offset, std::size_t bytes) const noexcept {
        const std::size_t within = offset % memory::host::page_size();
        madvise(data_ + offset - within, within + bytes, MADV_WILLNEED);
    }
    void let_go() const noexcept { madvise(data_, bytes_, MADV_DONTNEED); }
    std::byte* at(std::uint64_t offset) const noexcept { return data_ + offset; }

private:
    std::byte* data_ = nullptr;
    std::size_t bytes_;
};

class mmap_engine final : public engine {
public:
    explicit mmap_engine(const engine_options& options) : engine(options), staging_(options) {
        for (std::size_t i = 0; i < options.files->count(); ++i)
            mappings_.emplace_back(*options.files, i, options);
    }

    void run(const requests& list) override {
        one_by_one(list, [&](std::size_t i) { move(list, i); });
    }

    void let_go() override {
        for (const mapping& each : mappings_) each.let_go();
    }

    std::optional<double> gpu_seconds() const override { return staging_.gpu_seconds(); }

private:
    void move(const requests& list, std::size_t i) {
        const files::striped_files::piece at =
            options_.files->piece_at(list.offsets[i], list.block);
        std::byte* mapped = mappings_[at.file].at(at.offset);
        const std::span pieces = staging_.before(options_.direction, list, i);
        const bool reads = options_.direction == files::direction::read;
        if (reads && list.block > memory::host::page_size() &&
            options_.files->cache() == files::cache_state::cold)
            mappings_[at.file].bring(at.offset, list.block);
        for (const iovec& each : pieces) {
            void* const location = each.iov_base;
            if (!guarded_copy(reads ? location : mapped, reads ? mapped : location, each.iov_len))
                throw error(
                    "mmap of " + options_.files->path(at.file) + ": no data at " +
                    std::to_string(at.offset) +
                    " (SIGBUS); the file is shorter than it was, or its disk failed or is full");
            mapped += each.iov_len;
        }
        staging_.after(options_.direction, list, i);
    }

    staging staging_;
    std::vector<mapping> mappings_;
    bus_guard guard_;
};

}  // namespace

std::string mmap_unsupported(const engine_options& options) {
    if (options.disks) return no_modelled_time("mmap");
    if (options.files->cache() == files::cache_state::none)
        return "mmap goes through the page cache; cache=cold or cache=warm";
    return "";
}

std::unique_ptr<engine> make_mmap(const engine_options& options) {
    return std::make_unique<mmap_engine>(options);
}

}  // namespace watari::storage
