#include "watari/gemm/parameters.hpp"

#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/gemm/source.hpp"
#include "watari/memory/room.hpp"
#include "watari/storage/engines/engine.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace watari::gemm {

namespace {

/// Disks serve 100,000 to 200,000 requests a second: rows of a tile, 2 to 16 KiB each, would take
/// them longer than their bytes do. Who has one request in flight needs many loads beside one
/// another instead of long ones.
constexpr std::size_t short_request = std::size_t{1} << 15;

}  // namespace

bool is_queue(const parameters& p) { return p.engine == "queue" || p.engine == "gpu"; }

std::size_t movers_of(const parameters& p) {
    if (in_host_memory(p.engine)) return 1;
    return is_queue(p) ? queue_movers : p.threads;
}

/// Of each mover: the lanes of all of a controller's threads are divided among those who read and
/// write.
std::size_t depth_of(const parameters& p) {
    return is_queue(p) ? std::max<std::size_t>(1, p.depth * p.threads / queue_movers) : p.depth;
}

together together_of(const parameters& p, const placement& a, const placement& b,
                     const placement& c) {
    const storage::engine_row& row = storage::engine_named(p.engine);
    const std::size_t bytes = row.deep ? most_block : short_request;
    const auto of = [&](const placement& each) {  // what tiles share would be read for each
        return row.scatters || shared_bytes(each) == 0 ? tiles_together(each, bytes) : 1;
    };
    return {of(a), of(b), of(c)};
}

bool is_patient(const parameters& p) {
    return p.processor.is_gpu() && p.store != "ram" && storage::engine_named(p.engine).deep;
}

void require_factors(const parameters& p) {
    const bool single = p.type == precision::single_precision;
    for (const auto& [name, value] : {std::pair("alpha", p.alpha), std::pair("beta", p.beta)}) {
        const double held = single ? static_cast<float>(value) : value;
        if (std::isfinite(held) && (held != 0) == (value != 0)) continue;
        std::ostringstream text;
        text << name << " is " << value << ", which no " << (single ? "float" : "double") << " is";
        throw usage_error(text.str());
    }
}

void require_room_for(const parameters& p) {
    if (p.processor.is_gpu()) device::use(p.processor.number);
    const memory::demand budget[] = {
        {p.processor.is_gpu() ? memory::kind::device : memory::kind::pageable,
         p.fast_memory,
         {.device = p.processor.number}}};
    memory::require_room(budget, "choose a smaller fast memory");
}

}  // namespace watari::gemm
