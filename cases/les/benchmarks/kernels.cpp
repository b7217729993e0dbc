// The rate of each kernel of a city's air, by the bytes that its head comment states, and the time
// of a step beside the sum of its kernels.
//
//   cmake -S . -B build && cmake --build build --target watari_case_les
//   g++ -O3 -std=c++20 -fopenmp -I. -Isrc -Ibuild/include cases/les/benchmarks/kernels.cpp
//       build/cases/les/native/libwatari_case_les.a
//       -Lbuild/lib -lwatari -Wl,-rpath,build/lib -L/usr/local/cuda/lib64 -lcudart -o les_kernels
//   ./les_kernels [cpu|gpu [XxYxZ [THREADS [mist]]]]
//
// Cubes as in `watari run les`: staggered, a quarter of the lid high, density 0.25. fp32, two
// iterations of a stage; with `mist`, nozzles every 8 cells in streets. A GPU's arrays are managed,
// and in its memory after the first step. A CPU's arrays lie in huge pages, as style `system`
// places them. `times`: runs of the kernel in a step. `floor` is the time of its bytes on a GPU at
// the rate of the fastest kernel that only streams: direction, z and d to d; on a CPU at that of
// STREAM's triad, 12 bytes a number, on arrays of the same size. So take a grid whose arrays are
// larger than the caches, such as 512x512x128. On the finest level the first two kernels of a
// V-cycle may be merged, and the last two; on one GPU the update of p and the correction of u are
// merged. The floor of a step is that of the separate kernels. Times of a GPU are medians. Those of
// a CPU are the least CPU time of a thread, since other work may share its cores; the fingerprint
// is that of the flow after two steps.
#include "cases/les/native/flow/simulation.hpp"
#include "cases/les/native/flow/survey.hpp"
#include "watari/core/loops.hpp"
#include "watari/core/threads.hpp"
#include "watari/measure/clock.hpp"
#include "watari/memory/buffer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

using namespace watari;
using namespace watari::les;

namespace {

/// A city like the default of `watari run les`.
parameters city_of(const extents& size, processor who, int threads, bool mist) {
    parameters p;
    p.processor = who;
    p.whole = size;
    p.grid = {size};
    p.threads = threads;
    p.heights.assign(size.x * size.y, 0);
    const std::size_t side = size.z / 4, pitch = 2 * side;
    for (std::size_t j = 0; j < size.y; ++j)
        for (std::size_t i = 0; i < size.x; ++i) {
            const std::size_t shifted = i + j / pitch % 2 * side;
            if (j % pitch < side && shifted % pitch < side)
                p.heights[j * size.x + i] = static_cast<std::uint16_t>(side);
            else if (mist && i % 8 == 4 && j % 8 == 4)
                p.mist.insert(p.mist.end(), {double(i), double(j), 1, 1e-3});
        }
    p.grid = p.whole_grid();
    return p;
}

/// CPU seconds of this process, over its threads.
double cpu_seconds() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec)) /
           cpu::current_team().threads;
}

/// Seconds of a run, the median (on a CPU the least) of eleven, each waited for, after one that
/// moves pages to the processor.
double seconds_of(const processor& who, const std::function<void()>& work) {
    const auto now = who.is_gpu() ? measure::now : cpu_seconds;
    std::vector<double> times;
    for (int round = -1; round < 11; ++round) {
        const double start = now();
        work();
        if (who.is_gpu()) device::synchronize(nullptr);
        if (round >= 0) times.push_back(now() - start);
    }
    std::sort(times.begin(), times.end());
    return times[who.is_gpu() ? 5 : 0];
}

/// a = b + 0.5 c, in parts of the threads.
[[gnu::noinline]] void add_scaled(float* a, const float* b, const float* c, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + 0.5f * c[i];
}
void triad(float* a, const float* b, const float* c, std::size_t count) {
    cpu::for_each_part(count, [=](std::size_t first, std::size_t last) {
        add_scaled(a + first, b + first, c + first, last - first);
    });
}

struct kernel {
    const char* name;
    double bytes;  ///< of a cell in fp32
    int times;     ///< in a step with two cycles
    std::function<void()> work;
};

constexpr int never = -1;  ///< for a kernel whose work other kernels do

std::vector<kernel> kernels_of(simulation<float>& air, const parameters& p, const fields& f) {
    const auto& run = kernels_on<flow_kernels<float>>(p.processor);
    const auto& iterate = kernels_on<iteration_kernels<float>>(p.processor);
    const auto& cycle = kernels_on<vcycle_kernels<float>>(p.processor);
    const auto& l = air.poisson().levels();
    const flow_arguments<float>& flow = air.flow();
    auto* const d = numbers<float>(f.d);
    auto* const pressure = numbers<float>(f.p);
    auto* const sums = numbers<double>(f.sums);
    auto* const numbers = reinterpret_cast<iteration_sums*>(sums);
    const sums_layout at = sums_of(p);
    const stage_factors<float> by{-5.f / 9, 15.f / 16, float(p.dt)};
    const std::span<const level<float>> levels(l);
    const std::size_t small = cycle.first_small(levels);
    const auto coarse = [=, &cycle] {  // all but the finest level's four kernels
        for (std::size_t n = 1; n < small; ++n) {
            cycle.two_sweeps(levels[n], nullptr);
            cycle.restrict_residual(levels[n], levels[n + 1], nullptr);
        }
        cycle.small_levels(levels.subspan(small), nullptr);
        for (std::size_t n = small; n-- > 1;) {
            cycle.correct_sweep(levels[n], levels[n + 1], nullptr);
            cycle.sweep(levels[n], float(first_weight), levels[n].scratch, levels[n].e, nullptr);
        }
    };
    const bool first = cycle.sweep_first(l[0], l[1], nullptr),
               last = cycle.sweep_last(l[0], l[1], sums + at.partials, nullptr);
    const bool both = iterate.finish_flow(l[0], d, flow, 0, l[0].r, numbers, 1, nullptr);
    const auto six_if = [](bool run) { return run ? 6 : never; };
    const auto& water = kernels_on<moisture_kernels<float>>(p.processor);
    const double lift = p.is_moist() ? 8 : 0;
    const auto if_moist = [&p](int times) { return p.is_moist() ? times : never; };
    const drying<float> evaporation = drying_of<float>(p.air, p.dt);
    std::vector<kernel> all{
        {"viscosity", 21, 1, [=, &run] { run.viscosity(flow, nullptr); }},
        {"tendency 1", 53 + lift, 1, [=, &run] { run.advance(flow, stage::first, by, nullptr); }},
        {"tendency 2", 69 + lift, 1, [=, &run] { run.advance(flow, stage::middle, by, nullptr); }},
        {"tendency 3", 53 + lift, 1, [=, &run] { run.advance(flow, stage::last, by, nullptr); }},
        {"water", 33, if_moist(2), [=, &water] { water.carry(flow, 0.03f, nullptr); }},
        {"water, drying", 41, if_moist(1),
         [=, &water] { water.carry_and_dry(flow, 0.03f, evaporation, nullptr); }},
        {"halo of water", 0, if_moist(6),
         [=, &water] { water.go_around(p.grid, flow.wet_next[0], nullptr); }},
        {"residual", 21, 3, [=, &iterate] { iterate.residual(levels[0], flow, 1, nullptr); }},
        {"two sweeps", 9, six_if(!first), [=, &cycle] { cycle.two_sweeps(levels[0], nullptr); }},
        {"restriction", 9.5, six_if(!first),
         [=, &cycle] { cycle.restrict_residual(levels[0], levels[1], nullptr); }},
        {"coarse levels", 13, 6, coarse},
        {"correction of e", 13.5, six_if(!last),
         [=, &cycle] { cycle.correct_sweep(levels[0], levels[1], nullptr); }},
        {"sweep and r.z", 13, six_if(!last),
         [=, &cycle] { cycle.sweep_product(levels[0], sums + at.partials, nullptr); }},
        {"first sweeps", 9.5, six_if(first),
         [=, &cycle] { cycle.sweep_first(levels[0], levels[1], nullptr); }},
        {"last sweeps", 13.5, six_if(last),
         [=, &cycle] { cycle.sweep_last(levels[0], levels[1], sums + at.partials, nullptr); }},
        {"direction", 12, 0,
         [=, &iterate] { iterate.direction(levels[0], d, numbers, 1, nullptr); }},
        {"curvature", 5, 3,
         [=, &iterate] { iterate.curvature(levels[0], d, sums + at.partials, nullptr); }},
        {"last curvature", 9, 3,
         [=, &iterate] {
             iterate.last_curvature(levels[0], d, numbers, 1, sums + at.partials, nullptr);
         }},
        {"update of r", 13, 3,
         [=, &iterate] { iterate.update(levels[0], d, nullptr, numbers, 1, nullptr); }},
        {"update of p", 16, both ? 0 : 3,
         [=, &iterate] { iterate.finish(levels[0], d, pressure, numbers, 1, nullptr); }},
        {"sums", 0, 12,
         [=, &iterate] {
             iterate.add_all(levels[0].grid, sums + at.partials, sums + at.columns,
                             &numbers->d_ad[1], sums + at.scratch, numbers, nullptr);
         }},
        {"correction of u", 29, both ? 0 : 3, [=, &run] { run.correct(flow, 0.01f, nullptr); }},
        {"p and u", 41, both ? 3 : never,
         [=, &iterate] {
             iterate.finish_flow(levels[0], d, flow, 0.01f, levels[0].r, numbers, 1, nullptr);
         }},
    };
    std::erase_if(all, [](const kernel& k) { return k.times == never; });
    return all;
}

/// Bytes of a cell, with two cycles: flow/simulation.hpp.
constexpr double step_bytes = 823, mist_bytes = 131;

void print(const std::vector<kernel>& all, const parameters& p, const fields& f, double step) {
    const auto cells = static_cast<double>(p.whole.cells());
    std::vector<double> seconds;
    double rate = 0, sum = 0;
    if (!p.processor.is_gpu()) {
        auto *const to = numbers<float>(f.q[0]), *const b = numbers<float>(f.q[1]),
                    *const c = numbers<float>(f.q[2]);
        rate = 12 * cells / seconds_of(the_cpu, [&] { triad(to, b, c, p.whole.cells()); });
        std::printf("triad %.1f GB/s\n", rate * 1e-9);
    }
    for (const kernel& k : all) {
        seconds.push_back(seconds_of(p.processor, k.work));
        if (p.processor.is_gpu() && std::string(k.name) == "direction")
            rate = k.bytes * cells / seconds.back();
    }
    std::printf("%-16s %6s %6s %10s %10s %9s %10s\n", "kernel", "bytes", "times", "ms", "GB/s",
                "of floor", "ms a step");
    for (std::size_t n = 0; n < all.size(); ++n) {
        const kernel& k = all[n];
        const double bytes = k.bytes * cells;
        std::printf("%-16s %6.1f %6d %10.3f %10.1f %9.2f %10.3f\n", k.name, k.bytes, k.times,
                    seconds[n] * 1e3, bytes / seconds[n] * 1e-9, bytes / rate / seconds[n],
                    seconds[n] * k.times * 1e3);
        sum += seconds[n] * k.times;
    }
    const double bytes = (step_bytes + (p.is_moist() ? mist_bytes : 0)) * cells;
    std::printf(
        "sum of kernels %.3f ms; step %.3f ms, %.1f million cells/s, %.2f ns a cell, "
        "%.2f of the floor\n",
        sum * 1e3, step * 1e3, cells / step * 1e-6, step / cells * 1e9, bytes / rate / step);
}

}  // namespace

int main(int argc, char** argv) {
    extents size{128, 128, 64};
    const processor who = argc > 1 && std::string(argv[1]) == "gpu" ? gpu_number(0) : the_cpu;
    if (argc > 2 && std::sscanf(argv[2], "%zux%zux%zu", &size.x, &size.y, &size.z) != 3) return 2;
    const int threads = argc > 3 ? std::atoi(argv[3]) : 1;
    const bool mist = argc > 4 && std::string(argv[4]) == "mist";
    const parameters p = city_of(size, who, threads, mist);
    cpu::set_threads(threads);
    const auto kind = who.is_gpu() ? memory::kind::managed : memory::kind::pageable;
    fields f;
    std::vector<memory::buffer<std::byte>> held;
    memory::placement how{.device = who.number};
    if (!who.is_gpu()) how.thp = memory::huge_pages::always;
    for (const auto& [pointer, bytes] : arrays(f, p)) {
        const std::size_t skipped = who.is_gpu() ? 0 : 320 * held.size();
        *pointer = held.emplace_back(kind, bytes + skipped, how).data() + skipped;
    }
    build_city<float>(f, p);
    first_flow<float>(f, p);
    simulation<float> air(f, p);
    air.start(nullptr);
    air.step(nullptr);
    air.step(nullptr);
    const auto& survey = kernels_on<survey_kernels<float>>(who);
    for (unsigned n = 0; n < 4; ++n)
        std::printf(
            "%s%ju", n == 0 ? "fingerprint " : "-",
            std::uintmax_t{survey.fingerprint(p.grid, p.whole, air.flow().now[n], nullptr)});
    std::printf("\n");
    const double step = seconds_of(who, [&] { air.step(nullptr); });
    print(kernels_of(air, p, f), p, f, step);
}
