#include "triad.hpp"

#include "kernels.hpp"
#include "watari/core/threads.hpp"
#include "watari/measure/pattern.hpp"
#include "watari/measure/sampler.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/memory/move.hpp"
#include "watari/memory/room.hpp"

namespace triad {

using namespace watari;

measure::trial run(const parameters& p) {
    const std::size_t count = p.size / sizeof(double);
    const memory::placement placed{.device = p.kind == memory::kind::device ? p.device
                                                                            : p.processor.number};
    memory::require_access(memory::row(p.kind), p.processor);
    const memory::demand demands[] = {{p.kind, 3 * count * sizeof(double), placed}};
    memory::require_room(demands, "choose a smaller size");
    cpu::set_threads(p.threads);

    // The processor that computes writes all pages first.
    memory::buffer<double> a(p.kind, count, placed), b(p.kind, count, placed),
        c(p.kind, count, placed);
    const auto& data = kernels_on<measure::pattern_kernels>(p.processor);
    data.fill(a.data(), count, seed_c + 1, nullptr);
    data.fill(b.data(), count, seed_b, nullptr);
    data.fill(c.data(), count, seed_c, nullptr);
    memory::wait(p.processor);

    measure::trial result;
    result.bytes_per_sample = 3.0 * static_cast<double>(count * sizeof(double));
    result.flops_per_sample = 2.0 * p.work * static_cast<double>(count);
    const arrays x{a.data(), b.data(), c.data(), count};
    const kernels& run = kernels_on<kernels>(p.processor);
    measure::sampler sample(result, p.processor);
    for (std::size_t i = 0; i < p.samples; ++i)
        sample([&](stream_t stream, int) { run.triad(x, p.scalar, p.work, stream); });
    result.wrong_elements = run.mismatches(x, p.scalar, p.work, nullptr);
    return result;
}

}  // namespace triad
