// The source is a file of doubles of measure::pattern behind a seal, which is made once and kept.
// The hot part is brought into the cache before the first pass.
#include "cached.hpp"

#include "cached_kernels.hpp"
#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"
#include "watari/files/file_error.hpp"
#include "watari/measure/median.hpp"
#include "watari/measure/pattern.hpp"
#include "watari/measure/sampler.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/memory/move.hpp"
#include "watari/memory/room.hpp"
#include "watari/storage/backends/file.hpp"
#include "watari/storage/cache/mapped.hpp"
#include "watari/storage/controller/controller.hpp"
#include "watari/storage/files/data_file.hpp"
#include "watari/storage/files/test_data.hpp"
#include "watari/storage/nvme/status_text.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <string>
#include <vector>

namespace watari::gather {

namespace {

constexpr std::uint64_t file_seed = 1;
constexpr std::size_t page_bytes = 4096, part = std::size_t{1} << 20;
constexpr std::size_t in_flight = 8192;  ///< commands of a GPU's threads, at most
constexpr int most_pollers = 4;          ///< threads that serve the queues of a disk

void require_file(const parameters& p) {
    if (!std::has_single_bit(p.element) || p.element > page_bytes || p.stride % p.element != 0)
        throw usage_error("hits: an element is a power of two up to 4096 that divides the stride");
    if (*p.hits < 0 || *p.hits > 1) throw usage_error("hits: from 0 to 1");
    if (p.cache < page_bytes || p.size % part != 0 || p.size < 2 * p.cache)
        throw usage_error("hits: the cache has a page, the file whole MiB and two caches");
    if (p.turns != turns::none || p.hint != memory::hint::none)
        throw usage_error("hits: a file takes neither turns nor a hint");
}

void fill(int file, const parameters& p, const std::string& path) {
    storage::write_seal(file, path);
    std::vector<double> data(part / sizeof(double));
    for (std::uint64_t done = 0; done < p.size; done += part) {
        for (std::size_t i = 0; i < data.size(); ++i)
            data[i] = measure::pattern(done / sizeof(double) + i, file_seed);
        const std::uint64_t at = storage::seal_bytes + done;
        const ssize_t written = pwrite(file, data.data(), part, static_cast<off_t>(at));
        if (written != static_cast<ssize_t>(part))
            files::transfer_failed(files::direction::write, path, at, part,
                                   written < 0 ? -errno : written);
        sync_file_range(file, static_cast<off_t>(at), part, SYNC_FILE_RANGE_WRITE);
    }
}

storage::data_file open_source(const parameters& p, const std::string& path) {
    storage::make_folder(p.folder);
    return storage::open_data_file(path, storage::seal_bytes + p.size, files::usage::shared,
                                   [&](int file) { fill(file, p, path); });
}

storage::controller_options served(const parameters& p) {
    const bool gpu = p.processor.is_gpu();
    const auto threads = static_cast<std::size_t>(gpu ? std::clamp(p.threads, 1, most_pollers) : 1);
    // threads of a CPU have one miss each, and a read ahead
    const std::size_t commands = gpu ? in_flight : 16 * static_cast<std::size_t>(p.threads);
    storage::controller_options options;
    options.threads = static_cast<std::uint32_t>(threads);
    options.queues = storage::queues_for(p.processor, threads, commands, page_bytes);
    options.block_bytes = page_bytes;
    return options;
}

/// The file behind a cache, and the destination of a pass.
class cached_source {
public:
    explicit cached_source(const parameters& p)
        : p_(p),
          path_(p.folder + "/watari-gather-" + std::to_string(p.size) + ".data"),
          file_(open_source(p, path_)),
          disk_(storage::make_file({.paths = {path_}, .known = {file_.file.get()}}), served(p)),
          cache_(disk_.view(), {.bytes = p.cache, .page_bytes = page_bytes}, p.processor),
          count_(std::max<std::size_t>(1, p.cache / page_bytes)),
          destination_(memory::local_kind(p.processor), count_ * p.element,
                       {.device = p.processor.number}),
          outcome_(memory::host_kind(p.processor), 64) {
        *outcome() = 0;
    }

    std::size_t count() const { return count_; }
    std::string notice() const { return disk_.notice(); }
    std::uint64_t fills() const {
        const storage::cache_counters seen = cache_.counters();
        return seen.fills + seen.passed;
    }

    /// The pass that begins after `before` visits.
    cached_gathering pass(std::uint64_t before) const {
        const std::size_t hot = hot_elements(count_, *p_.hits);
        const auto share = static_cast<std::uint64_t>(std::llround(*p_.hits * 0x1p32));
        return {cache_.view(),
                storage::seal_bytes,
                destination_.data(),
                count_,
                p_.element,
                p_.stride,
                {hot, order(p_.size / p_.stride - hot, true), share, before},
                outcome()};
    }

    /// Brings the hot part into the cache.
    void warm() const {
        cached_gathering all = pass(0);
        for (std::uint64_t visits = 0; visits < 8; ++visits) {
            all.visited.share = std::uint64_t{1} << 32;
            all.visited.first = ~std::uint64_t{0} / 2 + visits * count_;
            kernels_on<cached_kernels>(p_.processor).gather(all, nullptr);
            finish();
        }
    }

    /// Waits; throws if a command failed.
    void finish() const {
        memory::wait(p_.processor);
        const auto status = std::bit_cast<storage::status>(std::exchange(*outcome(), 0u));
        if (!status.ok()) throw error(path_ + ": " + storage::text(status));
    }

private:
    std::uint32_t* outcome() const { return static_cast<std::uint32_t*>(outcome_.data()); }

    const parameters& p_;
    std::string path_;
    storage::data_file file_;
    storage::controller disk_;
    storage::mapping cache_;
    std::size_t count_;  ///< elements of a pass: as many as the cache has pages
    memory::buffer<std::byte> destination_;
    memory::block outcome_;
};

}  // namespace

measure::trial run_cached(const parameters& p) {
    require_file(p);
    if (p.processor.is_gpu()) device::use(p.processor.number);
    const memory::demand demands[] = {{memory::local_kind(p.processor),
                                       p.cache + p.cache / page_bytes * p.element,
                                       {.device = p.processor.number}}};
    memory::require_room(demands, "choose a smaller cache");
    measure::trial result;
    cpu::set_threads(p.threads);
    result.quantities["threads"] = {static_cast<double>(p.threads), "1"};
    const cached_source source(p);
    source.warm();

    const cached_kernels& run = kernels_on<cached_kernels>(p.processor);
    measure::sampler sample(result, p.processor);
    for (std::size_t i = 0; i < p.samples; ++i) {
        const cached_gathering pass = source.pass(i * source.count());
        const std::uint64_t before = source.fills();
        sample([&](stream_t stream, int) { run.gather(pass, stream); });
        source.finish();
        const double missed = static_cast<double>(source.fills() - before);
        result.series["hit_share"].push_back(1 - missed / static_cast<double>(source.count()));
        result.wrong_elements += run.mismatches(pass, file_seed, nullptr);
    }
    const auto& seconds = p.processor.is_gpu() ? result.device_s : result.host_s;
    const auto count = static_cast<double>(source.count());
    result.quantities["element_s"] = {measure::median(seconds) / count, "s"};
    result.quantities["first_element_s"] = {seconds.front() / count, "s"};
    result.quantities["hit_share"] = {measure::median(result.series["hit_share"]), "1"};
    if (const std::string notice = source.notice(); !notice.empty()) result.notes.push_back(notice);
    return result;
}

}  // namespace watari::gather
