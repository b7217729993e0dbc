// Style `system` on a CPU: allocation as a CPU programmer would do it, in huge pages. Without a GPU
// the styles do not differ.
#include "../solver/loop.hpp"
#include "../styles.hpp"

#include <sys/mman.h>
#include <array>
#include <cstdlib>

namespace watari::lattice {

measure::trial run_system_on_cpu(const parameters& p) {
    measure::trial result;
    prepare(result, p, std::array{memory::kind::pageable});
    constexpr std::size_t page = std::size_t{2} << 20;
    fields f;
    const auto all = arrays(f, p);
    stopwatch watch(result);

    for (const auto& [pointer, bytes] : all) {
        const std::size_t whole = (bytes + page - 1) / page * page;
        *pointer = static_cast<std::byte*>(std::aligned_alloc(page, whole));
        madvise(*pointer, whole, MADV_HUGEPAGE);
    }
    watch.lap("allocate");

    initialise(result, f, p);
    watch.skip();

    solve(result, p, f, false);
    watch.skip();

    read_result(result, p, f);
    watch.lap("transfer_out");

    for (const auto& [pointer, bytes] : all) std::free(*pointer);
    watch.lap("release");
    return result;
}

}  // namespace watari::lattice
