#include "watari/gemm/defaults.hpp"

#include "watari/core/device.hpp"
#include "watari/files/uring/uring.hpp"
#include "watari/memory/host.hpp"
#include "watari/memory/kind.hpp"
#include "watari/storage/engines/depth.hpp"
#include "watari/storage/nvme/queue_memory.hpp"
#include "watari/storage/stores/open_store.hpp"

#include <algorithm>
#include <bit>

namespace watari::gemm {

std::string default_engine(processor who) {
    if (who.is_gpu()) return "gpu";
    return files::uring_absent_reason().empty() ? "uring" : "posix";
}

std::size_t default_fast_memory(processor who) {
    if (who.is_gpu()) device::use(who.number);
    const std::size_t room = who.is_gpu()
                                 ? memory::row(memory::kind::device).available(who.number) / 8 * 7
                                 : memory::host::left().bytes / 2;
    const std::size_t step = std::bit_floor(room) / 2;
    return step == 0 ? room : room / step * step;
}

std::size_t default_tile(std::size_t fast_memory,
                         const std::function<std::size_t(std::size_t)>& slot_bytes) {
    std::size_t tile = usual_tile;
    while (tile > least_tile && fast_memory / slot_bytes(tile) < usual_slots) tile /= 2;
    return tile;
}

std::size_t default_threads(const std::string& engine, std::size_t cores, bool on_disk) {
    if (engine != "gpu") return std::max<std::size_t>(1, cores);
    const std::size_t most = on_disk ? storage::most_file_threads : cores;
    return std::max<std::size_t>(1, std::min(cores / 2, most));
}

std::size_t default_depth(const std::string& engine, bool on_disk, gemm::layout layout,
                          std::size_t tile, std::size_t element) {
    if (storage::in_host_memory(engine)) return 1;
    if (on_disk) return storage::default_depth(engine, most_block, true);
    const std::size_t row = tile * element;
    if (layout == gemm::layout::tiled)
        return storage::default_depth(engine, stored_block(tile * row, storage::large_run), false);
    // half the usual depth: warps that move tiles displace warps that multiply
    return storage::default_depth(engine, 2 * row, false);
}

}  // namespace watari::gemm
