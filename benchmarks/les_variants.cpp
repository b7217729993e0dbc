// Variants of a GPU's kernels of a city's air, each beside today's: seconds of the kernels, whether
// all outputs have the same bits, and seconds of the whole step.
//
//   ./les_variants [check] [XxYxZ ...]      built as les_kernels.cpp is; 512x512x128, 1024x1024x128
//   compute-sanitizer --tool racecheck ./les_variants check 256x32x32
//
// Cubes as in les_kernels.cpp; fp32, two iterations of a stage. Samples of all variants in turn,
// medians. A step is one CUDA graph, recorded while its variant is set; its fingerprint is that of
// the flow after two steps. check: the bits of the kernels alone.
#include "watari/cases/les/flow/simulation.hpp"
#include "watari/cases/les/flow/survey.hpp"
#include "watari/cases/les/variants.hpp"
#include "watari/core/threads.hpp"
#include "watari/measure/clock.hpp"
#include "watari/memory/buffer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace watari;
using namespace watari::les;

namespace {

parameters city_of(const extents& size) {
    parameters p;
    p.processor = gpu_number(0);
    p.whole = size;
    p.grid = {size};
    p.heights.assign(size.x * size.y, 0);
    const std::size_t side = size.z / 4, pitch = 2 * side;
    for (std::size_t j = 0; j < size.y; ++j)
        for (std::size_t i = 0; i < size.x; ++i) {
            const std::size_t shifted = i + j / pitch % 2 * side;
            if (j % pitch < side && shifted % pitch < side)
                p.heights[j * size.x + i] = static_cast<std::uint16_t>(side);
        }
    return p;
}

struct choice {
    std::string name;
    unsigned variants = 0, tile = 8, column = 16;

    void set() const {
        les::variants = variants;
        tile_planes = tile;
        column_planes = column;
    }
};

bool timed = true;

double median(std::vector<double> of) {
    std::sort(of.begin(), of.end());
    return of[of.size() / 2];
}

/// Milliseconds of each of `runs`, in turn; one run of each before counts for nothing.
std::vector<double> milliseconds(const std::vector<std::function<void()>>& runs, int rounds,
                                 int each) {
    if (!timed) return std::vector<double>(runs.size());
    std::vector<std::vector<double>> seconds(runs.size());
    for (int round = -1; round < rounds; ++round)
        for (std::size_t n = 0; n < runs.size(); ++n) {
            const double start = measure::now();
            for (int m = 0; m < (round < 0 ? 1 : each); ++m) runs[n]();
            device::synchronize(nullptr);
            if (round >= 0) seconds[n].push_back((measure::now() - start) / each * 1e3);
        }
    std::vector<double> result;
    for (const auto& of : seconds) result.push_back(median(of));
    return result;
}

struct kernel {
    std::string name;
    std::vector<choice> choices;
    std::function<void()> work;
    std::function<std::uint64_t()> output;  ///< fingerprint of what it has written
};

std::vector<kernel> kernels_of(simulation<float>& air, const parameters& p, const fields& f) {
    const auto& run = flow_kernels<float>::gpu;
    const auto& iterate = iteration_kernels<float>::gpu;
    const auto& cycle = vcycle_kernels<float>::gpu;
    const auto& survey = survey_kernels<float>::gpu;
    const auto& l = air.poisson().levels();
    const flow_arguments<float>& flow = air.flow();
    auto* const d = numbers<float>(f.d);
    auto* const pressure = numbers<float>(f.p);
    auto* const sums = numbers<double>(f.sums);
    auto* const numbers = reinterpret_cast<iteration_sums*>(sums);
    const sums_layout at = sums_of(p);
    const auto print_of = [&survey](const les::grid& g, const float* array) {
        return survey.fingerprint(g, g.size, array, nullptr);
    };
    const std::vector<choice> firsts{{"today", 0},
                                     {"pass", fuse_first | fuse_second_first},
                                     {"unrolled", fuse_first | fuse_second_first | unrolled},
                                     {"short", fuse_first | fuse_second_first | short_columns}},
        lasts{{"today", 0},
              {"pass", fuse_last | fuse_second_last},
              {"unrolled", fuse_last | fuse_second_last | unrolled},
              {"short", fuse_last | fuse_second_last | short_columns}},
        tiles{{"8", 0, 8}, {"16", 0, 16}, {"22", 0, 22}, {"32", 0, 32}, {"44", 0, 44}},
        columns{{"16", 0, 8, 16}, {"32", 0, 8, 32}, {"64", 0, 8, 64}, {"128", 0, 8, 128}};
    const auto first = [=, &cycle](std::size_t n) {
        if (cycle.sweep_first(l[n], l[n + 1], nullptr)) return;
        cycle.two_sweeps(l[n], nullptr);
        cycle.restrict_residual(l[n], l[n + 1], nullptr);
    };
    // what is corrected is d's, or for the second level its r: today's kernels overwrite their e
    const auto last = [=, &cycle](std::size_t n) {
        level<float> own = l[n];
        own.e = n == 0 ? d : own.r;
        double* const partials = n == 0 ? sums + at.partials : nullptr;
        if (cycle.sweep_last(own, l[n + 1], partials, nullptr)) return;
        cycle.correct_sweep(own, l[n + 1], nullptr);
        own.e = l[n].e;
        if (n == 0)
            cycle.sweep_product(own, partials, nullptr);
        else
            cycle.sweep(own, float(first_weight), own.scratch, own.e, nullptr);
    };
    const auto last_output = [=](std::size_t n) {  // e of today's, scratch of a pass
        return print_of(l[n].grid, les::variants == 0 ? l[n].e : l[n].scratch);
    };
    const auto whole = [=](const std::vector<const float*>& arrays) {
        std::uint64_t all = 0;
        for (const float* array : arrays) all = all * 31 + print_of(l[0].grid, array);
        return all;
    };
    const auto sum_of = [=, &iterate] {
        iterate.add_columns(l[0].grid, sums + at.partials, sums + at.columns, nullptr);
        iterate.add_up(sums + at.columns, at.scratch - at.columns, sums + 6, sums + at.scratch,
                       nullptr);
        std::uint64_t bits = 0;
        device::read_back(&bits, sums + 6, sizeof bits, nullptr);
        return bits;
    };
    const auto advance = [=, &run](stage which) {
        run.advance(flow, which, {0.f, 15.f / 16, float(p.dt)}, nullptr);  // whatever q was
    };
    std::vector<kernel> all{
        {"last sweeps", lasts, [=] { last(0); }, [=] { return last_output(0) + sum_of(); }},
        {"last, level 2", lasts, [=] { last(1); }, [=] { return last_output(1); }},
        {"first sweeps", firsts, [=] { first(0); },
         [=] { return print_of(l[0].grid, l[0].e) + print_of(l[1].grid, l[1].r); }},
        {"first, level 2", firsts, [=] { first(1); },
         [=] { return print_of(l[1].grid, l[1].e) + print_of(l[2].grid, l[2].r); }},
        {"residual", tiles, [=, &iterate] { iterate.residual(l[0], flow, 1, nullptr); },
         [=] { return whole({l[0].r}); }},
        {"curvature", tiles,
         [=, &iterate] { iterate.curvature(l[0], d, sums + at.partials, nullptr); }, sum_of},
        {"last curvature", tiles,
         [=, &iterate] {
             iterate.last_curvature(l[0], d, numbers, 1, sums + at.partials, nullptr);
         },
         sum_of},
        {"update of r", tiles,
         [=, &iterate] { iterate.update(l[0], d, nullptr, numbers, 1, nullptr); }, nullptr},
        {"update of p", tiles,
         [=, &iterate] { iterate.finish(l[0], d, pressure, numbers, 1, nullptr); }, nullptr},
        {"correction of u", tiles, [=, &run] { run.correct(flow, 0.f, nullptr); },
         [=] {
             return whole({flow.next[0], flow.next[1], flow.next[2]});
         }},
        {"viscosity", columns, [=, &run] { run.viscosity(flow, nullptr); },
         [=] { return whole({flow.nu}); }}};
    for (const auto& [name, which] : {std::pair{"tendency 1", stage::first},
                                      {"tendency 2", stage::middle},
                                      {"tendency 3", stage::last}})
        all.push_back({name, columns, [=] { advance(which); },
                       [=] {
                           return whole({flow.next[0], flow.next[1], flow.next[2], flow.next[3]});
                       }});
    return all;
}

bool measure_kernels(simulation<float>& air, const parameters& p, const fields& f) {
    bool same = true;
    std::printf("%-16s milliseconds\n", "kernel");
    for (const kernel& k : kernels_of(air, p, f)) {
        std::vector<std::function<void()>> runs;
        std::vector<std::uint64_t> outputs;
        for (const choice& c : k.choices) {
            runs.push_back([&] { c.set(), k.work(); });
            if (!k.output) continue;
            runs.back()();
            outputs.push_back(k.output());
            same &= outputs.back() == outputs.front();
        }
        const std::vector<double> times = milliseconds(runs, 7, 3);
        std::printf("%-16s", k.name.c_str());
        for (std::size_t n = 0; n < times.size(); ++n)
            std::printf("  %s %.3f%s", k.choices[n].name.c_str(), times[n],
                        n < outputs.size() && outputs[n] != outputs[0] ? " OTHER BITS" : "");
        std::printf("\n");
    }
    return same;
}

/// Steps of all choices, in turn.
class steps {
public:
    steps(const parameters& p, const fields& f, const std::vector<memory::buffer<float>>& start)
        : p_(p), f_(f), start_(start) {}

    void add(const choice& c) {
        c.set();
        for (unsigned n = 0; n < 4; ++n)
            device::copy(f_.flow[n], start_[n].data(), p_.grid.points() * sizeof(float), nullptr);
        auto air = std::make_unique<simulation<float>>(f_, p_);
        air->start(nullptr);
        air->step(nullptr);
        air->step(nullptr);
        std::string print;
        for (unsigned n = 0; n < 4; ++n)
            print += (n ? "-" : "") + std::to_string(survey_kernels<float>::gpu.fingerprint(
                                          p_.grid, p_.whole, air->flow().now[n], nullptr));
        choices_.push_back(c), prints_.push_back(print), airs_.push_back(std::move(air));
    }
    simulation<float>& first() { return *airs_.front(); }

    std::vector<double> times(std::size_t from, int rounds, int each) const {
        std::vector<std::function<void()>> runs;
        for (std::size_t n = 0; n < airs_.size(); ++n)
            if (n == 0 || n >= from) runs.push_back([this, n] { airs_[n]->step(nullptr); });
        return milliseconds(runs, rounds, each);
    }
    bool print(std::size_t from, const std::vector<double>& times) const {
        const auto cells = static_cast<double>(p_.whole.cells());
        bool same = true;
        for (std::size_t n = 0, m = 0; n < airs_.size(); ++n) {
            if (n != 0 && n < from) continue;
            const bool equal = prints_[n] == prints_[0];
            std::printf("%-40s %8.3f ms %8.1f million cells/s%s\n", choices_[n].name.c_str(),
                        times[m], cells / times[m] * 1e-3, equal ? "" : "  OTHER BITS");
            ++m;
            same &= equal;
        }
        return same;
    }
    const std::string& fingerprint() const { return prints_.front(); }
    const choice& of(std::size_t n) const { return choices_[n]; }
    std::size_t count() const { return choices_.size(); }

private:
    const parameters& p_;
    const fields& f_;
    const std::vector<memory::buffer<float>>& start_;
    std::vector<choice> choices_;
    std::vector<std::string> prints_;
    std::vector<std::unique_ptr<simulation<float>>> airs_;
};

/// Each variant alone, then what is best of each kind together.
bool measure_steps(steps& all, int rounds, int each) {
    constexpr unsigned both = fuse_last | fuse_first, second = fuse_second_last | fuse_second_first;
    const std::vector<choice> passes{{"last sweeps in one pass", fuse_last},
                                     {"first sweeps in one pass", fuse_first},
                                     {"both", both},
                                     {"both, unrolled", both | unrolled},
                                     {"both, short columns", both | short_columns},
                                     {"both, on two levels", both | second},
                                     {"last on two levels", fuse_last | fuse_second_last}},
        launches{{"early launches", early_launch}},
        tiles{{"tiles of 16 planes", 0, 16},
              {"tiles of 22 planes", 0, 22},
              {"tiles of 32 planes", 0, 32},
              {"tiles of 44 planes", 0, 44}},
        columns{{"columns of 32 planes", 0, 8, 32},
                {"columns of 64 planes", 0, 8, 64},
                {"columns of 128 planes", 0, 8, 128}};
    for (const auto* group : {&passes, &launches, &tiles, &columns})
        for (const choice& c : *group) all.add(c);
    const std::vector<double> times = all.times(0, rounds, each);
    bool same = all.print(0, times);
    choice best{"best of each together"};
    std::size_t n = 1;
    for (const auto* group : {&passes, &launches, &tiles, &columns}) {
        double least = times[0];
        choice chosen;
        for (const choice& c : *group) {
            if (times[n] < least) least = times[n], chosen = c;
            ++n;
        }
        best.variants |= chosen.variants;
        if (group == &tiles) best.tile = chosen.tile;
        if (group == &columns) best.column = chosen.column;
    }
    const std::size_t from = all.count();
    all.add(best);
    choice late = best;
    late.name = "the same without early launches";
    late.variants &= ~unsigned{early_launch};
    all.add(late);
    std::printf("best: variants %u, tiles of %u planes, columns of %u\n", best.variants, best.tile,
                best.column);
    return all.print(from, all.times(from, 2 * rounds, each)) && same;
}

bool measure_grid(const extents& size) {
    const parameters p = city_of(size);
    fields f;
    std::vector<memory::buffer<std::byte>> held;
    for (const auto& [pointer, bytes] : arrays(f, p))
        *pointer = held.emplace_back(memory::kind::managed, bytes).data();
    build_city<float>(f, p);
    first_flow<float>(f, p);
    std::vector<memory::buffer<float>> start;
    for (unsigned n = 0; n < 4; ++n) {
        start.emplace_back(memory::kind::device, p.grid.points());
        device::copy(start[n].data(), f.flow[n], p.grid.points() * sizeof(float), nullptr);
    }
    device::synchronize(nullptr);
    steps all(p, f, start);
    all.add({"today"});
    std::printf("== %zux%zux%zu, fingerprint %s\n", size.x, size.y, size.z,
                all.fingerprint().c_str());
    const bool large = size.cells() > std::size_t{1} << 26;
    const bool same = measure_kernels(all.first(), p, f);
    const bool equal = !timed || measure_steps(all, large ? 3 : 5, large ? 3 : 8);
    std::printf("%s\n", same && equal ? "all outputs have the same bits" : "OTHER BITS");
    return same && equal;
}

}  // namespace

int main(int argc, char** argv) {
    cpu::set_threads(static_cast<int>(std::thread::hardware_concurrency()));
    std::vector<extents> sizes;
    timed = argc < 2 || std::string(argv[1]) != "check";
    for (int n = timed ? 1 : 2; n < argc; ++n) {
        extents& size = sizes.emplace_back();
        if (std::sscanf(argv[n], "%zux%zux%zu", &size.x, &size.y, &size.z) != 3) return 2;
    }
    if (sizes.empty()) sizes = {{512, 512, 128}, {1024, 1024, 128}};
    bool same = true;
    for (const extents& size : sizes) same &= measure_grid(size);
    return same ? 0 : 1;
}
