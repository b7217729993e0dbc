#include "watari/gemm/options.hpp"

#include "watari/blas/libraries.hpp"
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"
#include "watari/memory/host.hpp"
#include "watari/memory/room.hpp"
#include "watari/storage/engines/engine.hpp"
#include "watari/storage/stores/open_store.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

namespace watari::gemm {

namespace {

/// Bytes of a request of an engine with one request in flight, which needs many concurrent loads
/// rather than longer ones. A disk serves 100,000 to 200,000 requests a second: with one request
/// per row of a tile (2 to 16 KiB) their number, not their bytes, is the limit.
constexpr std::size_t short_request = std::size_t{1} << 15;

}  // namespace

bool is_queue(const options& p) { return p.engine == "queue" || p.engine == "gpu"; }

std::size_t movers_of(const options& p) {
    if (storage::in_host_memory(p.engine)) return 1;
    return is_queue(p) ? queue_movers : p.threads;
}

/// The requests of all threads of a controller are divided among the movers.
std::size_t depth_of(const options& p) {
    return is_queue(p) ? std::max<std::size_t>(1, p.depth * p.threads / queue_movers) : p.depth;
}

tiles_per_request tiles_per_request_of(const options& p, const placement& a, const placement& b,
                                       const placement& c) {
    const storage::engine_row& row = storage::engine_named(p.engine);
    const std::size_t bytes = row.deep ? most_block : short_request;
    const auto of = [&](const placement& each) {  // without scatter each tile reads shared bytes
        return row.scatters || shared_bytes(each) == 0 ? tiles_in_request(each, bytes) : 1;
    };
    return {of(a), of(b), of(c)};
}

bool is_store_bound(const options& p, bool on_disk) {
    return p.processor.is_gpu() && on_disk && storage::engine_named(p.engine).deep;
}

bool holds(precision type, double factor) {
    const double held = type == precision::single_precision ? static_cast<float>(factor) : factor;
    return std::isfinite(held) && (held != 0) == (factor != 0);
}

void require_factors(const options& p) {
    for (const auto& [name, value] : {std::pair("alpha", p.alpha), std::pair("beta", p.beta)}) {
        if (holds(p.type, value)) continue;
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), "%g", value);
        throw usage_error(std::string(name) + " is " + text.data() + ", which no " +
                          (p.type == precision::single_precision ? "float" : "double") + " is");
    }
}

void require_room_for(const options& p) {
    if (p.processor.is_gpu()) device::use(p.processor.number);
    const memory::demand budget[] = {
        {memory::local_kind(p.processor), p.fast_memory, {.device = p.processor.number}}};
    memory::require_room(budget, "choose a smaller fast memory");
}

void require_addresses_for(const options& p) {
    if (p.processor.is_gpu()) return;
    // each thread that moves tiles takes a stack, and addresses of malloc
    constexpr std::size_t of_malloc = std::size_t{64} << 20;
    const std::size_t stack = memory::host::stack_bytes(), team = cpu::own_cpus().size();
    memory::require_addresses(p.fast_memory + blas::openblas_addresses(static_cast<int>(team)) +
                                  team * stack + 2 * movers_of(p) * (stack + of_malloc),
                              "fast memory, OpenBLAS and threads",
                              "choose a smaller fast memory, fewer threads, or a larger limit");
}

}  // namespace watari::gemm
