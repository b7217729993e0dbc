#include "watari/storage/stores/rate.hpp"

#include "watari/core/error.hpp"
#include "watari/measure/clock.hpp"
#include "watari/measure/thread_team.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/storage/stores/store_engines.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace watari::storage {

namespace {

constexpr double enough = 0.5;        ///< seconds
constexpr std::uint64_t rounds = 16;  ///< over a small store, at most
constexpr std::size_t unit = std::size_t{1} << 20, window = 64 * unit;

}  // namespace

double rate(const open_store& from, files::direction direction, const stretch& where, processor who,
            std::size_t threads, std::size_t depth, std::size_t block) {
    if (block == 0 || block > unit || block % from.unit() != 0)
        throw usage_error("requests of " + bytes_text(block) + " are not whole units of " +
                          bytes_text(from.unit()) + ", a MiB at most");
    threads = std::min<std::size_t>(threads, where.bytes / unit);
    if (threads == 0) return 0;
    const std::size_t share = where.bytes / threads / unit * unit;
    const std::size_t part = std::min(share, window), requests = part / block;
    const memory::buffer<std::byte> data(memory::local_kind(who), threads * part,
                                         {.device = who.number, .thp = memory::huge_pages::always});
    if (!who.is_gpu()) std::memset(data.data(), 0, data.size());
    std::vector<std::optional<store_engines>> engines(threads);
    std::vector<std::uint64_t> moved(threads);
    measure::thread_team team(threads);
    team.run([&](std::size_t i) {
        const store_use lists[] = {{&from, block, requests}};
        engines[i].emplace(engine_use{who, direction, depth, {data.data() + i * part, part}},
                           lists);
    });
    const double seconds = team.run([&](std::size_t i) {
        const double end = measure::now() + enough;
        block_list list{.store = &from,
                        .offsets = std::vector<std::uint64_t>(requests),
                        .memory = data.data() + i * part,
                        .block = block};
        for (std::uint64_t at = 0; measure::now() < end && moved[i] < rounds * share;
             at = at + 2 * part <= share ? at + part : 0) {
            for (std::size_t r = 0; r < requests; ++r)
                list.offsets[r] = where.first + i * share + at + r * block;
            moved[i] += engines[i]->move(list);
        }
        if (direction == files::direction::write) engines[i]->flush(from);
    });
    team.run([&](std::size_t i) { engines[i].reset(); });
    std::uint64_t all = 0;
    for (const std::uint64_t each : moved) all += each;
    return static_cast<double>(all) / seconds;
}

}  // namespace watari::storage
