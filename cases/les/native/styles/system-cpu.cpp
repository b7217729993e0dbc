// Style `system` on a CPU: the allocation of a CPU programmer, in huge pages. Without a GPU the
// styles do not differ.
//
// Each array begins five lines further into its page: arrays that all begin at the start of a page
// compete for the same lines of the caches.
#include "../loop.hpp"
#include "../styles.hpp"

#include <sys/mman.h>
#include <array>
#include <cstdlib>
#include <vector>

namespace watari::les {

measure::trial run_system_on_cpu(const parameters& p) {
    measure::trial result;
    prepare(result, p, std::array{memory::kind::pageable});
    constexpr std::size_t page = std::size_t{2} << 20, line = 64;
    fields f;
    const auto all = arrays(f, p);
    std::vector<void*> blocks;
    stopwatch watch(result);

    for (const auto& [pointer, bytes] : all) {
        const std::size_t skipped = 5 * line * blocks.size();
        const std::size_t whole = (bytes + skipped + page - 1) / page * page;
        auto* const block = static_cast<std::byte*>(std::aligned_alloc(page, whole));
        madvise(block, whole, MADV_HUGEPAGE);
        blocks.push_back(block);
        *pointer = block + skipped;
    }
    watch.lap("allocate");

    initialise(f, p);
    watch.skip();

    simulate(result, p, f, {}, false);
    watch.skip();

    read_result(result, p, swapped(p) ? f.next : f.flow);
    watch.skip();

    for (void* block : blocks) std::free(block);
    watch.lap("release");
    return result;
}

}  // namespace watari::les
