// The time of building an H-matrix, by part: on all cores and on a GPU, with and without a file.
//
//   cmake -S . -B build && cmake --build build --target watari
//   g++ -O3 -std=c++20 -fopenmp -Isrc -Ibuild/include cases/hmatrix/benchmarks/build.cpp
//       -Lbuild/lib -lwatari -Wl,-rpath,build/lib -o hmatrix_build
//   ./hmatrix_build [MESH [FOLDER [THREADS [BUILDS]]]]        bumpy:71, /dev/shm, all, 2
//
// `build`: seconds in all, and of the thread that hands leaves to the writers: it prepares, waits
// for leaves, waits for the file, finishes; `remove`: the time to remove the earlier file. The
// first build on a GPU includes its context. `file alone`: the time to write the same leaves and
// bytes, all zeros. `leaves alone`, on a GPU: all leaves in chunks of some sizes, in parts to the
// CPU, without a file; then leaves of some kinds, and without recompression. `memory before` is the
// time to allocate the pools.
#include "watari/hmatrix/build/build.hpp"
#include "watari/core/device.hpp"
#include "watari/core/threads.hpp"
#include "watari/core/with_cuda.hpp"
#include "watari/hmatrix/build/leaf_chunks.hpp"
#include "watari/hmatrix/file/writer.hpp"
#include "watari/hmatrix/surface/shapes.hpp"
#include "watari/measure/clock.hpp"

#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

using namespace watari;
using namespace watari::hmatrix;

namespace {

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

void print_build(const surface& of, const std::string& path, const build_options& how) {
    const double before = measure::now();
    unlink(path.c_str());
    const double start = measure::now();
    rusage first{}, last{};
    getrusage(RUSAGE_SELF, &first);
    const build_counts counts = build(of, path, how);
    getrusage(RUSAGE_SELF, &last);
    const build_parts& parts = counts.parts;
    std::printf(
        "%s, %d bytes: build %.3f s (prepares %.3f, leaves %.3f, file %.3f, finishes %.3f); call "
        "%.3f, remove %.3f; CPU time %.2f + %.2f of the system; %.3f GB\n",
        how.who.is_gpu() ? "gpu" : "cpu", how.single ? 4 : 8, counts.seconds, parts.preparing,
        parts.making, parts.writing, parts.finishing, measure::now() - start, start - before,
        seconds_of(last.ru_utime) - seconds_of(first.ru_utime),
        seconds_of(last.ru_stime) - seconds_of(first.ru_stime),
        static_cast<double>(counts.file_bytes) * 1e-9);
    std::fflush(stdout);
}

/// Writes leaves of the ranks in the file at `path`, `part` bytes at a time (a GPU: 32 MiB).
void print_file_alone(const surface& of, const std::string& path, const build_options& how,
                      std::size_t part) {
    const matrix_index index = read_index(path);
    const std::vector<block> leaves = leaves_of(of.tree, how.eta);
    std::size_t most = part;
    for (const leaf_record& leaf : index.leaves)
        most = std::max<std::size_t>(most, leaf.elements() * index.head.of.element_bytes);
    const std::vector<std::byte> zeros(most);
    unlink(path.c_str());
    const double start = measure::now();
    {
        matrix_writer writer(path, identity_of(of, how), leaves);
        const double ready = measure::now();
        std::vector<leaf_data> some;
        std::size_t bytes = 0;
        for (const leaf_record& leaf : index.leaves) {
            const std::size_t own = leaf.elements() * index.head.of.element_bytes;
            if (bytes + own > part) writer.append(some), some.clear(), bytes = 0;
            some.push_back({leaf.rank, zeros.data() + bytes});
            bytes += own;
        }
        writer.append(some);
        const double written = measure::now();
        writer.finish(of.tree.order());
        const double end = measure::now();
        std::printf(
            "file alone, %d bytes, by %zu MiB: %.3f s (opens %.3f, writes %.3f, finishes %.3f)\n",
            how.single ? 4 : 8, part >> 20, end - start, ready - start, written - ready,
            end - written);
    }
    std::fflush(stdout);
}

struct gpu_maker {
    const surface& of;
    leaf_maker maker;
    std::vector<block> leaves;
    double scale;

    gpu_maker(const surface& what, const build_options& how)
        : of(what), maker(of.panels, how), leaves(leaves_of(of.tree, how.eta)) {
        double edges = 0;
        for (const block& one : leaves) edges += one.admissible ? edges_of(one) : 0;
        scale = how.eps * maker.norm() / std::sqrt(edges);
    }
    static double edges_of(const block& one) {
        return static_cast<double>(one.rows) + static_cast<double>(one.columns);
    }

    void print(const char* name, const build_options& how, const std::vector<block>& some) const {
        const double start = measure::now();
        leaf_kernels kernels{};
        if constexpr (with_cuda) kernels = gpu::hmatrix_leaves;
        leaf_chunks chunks(maker, how, some, how.who, kernels);
        const double ready = measure::now();
        std::vector<double> parts;
        double bytes = 0;
        for (std::size_t n = 0; n < some.size();) {
            const double asked = measure::now();
            const std::vector<made_leaf> made =
                chunks.make(std::span(some).subspan(n),
                            [&](const block& one) { return scale * std::sqrt(edges_of(one)); });
            parts.push_back(measure::now() - asked);
            n += made.size();
            for (const made_leaf& one : made) bytes += static_cast<double>(one.data.size());
        }
        const double end = measure::now();
        std::printf("leaves alone, %d bytes, %s: %.3f s, memory before %.3f; %zu, %.3f GB; ms:",
                    how.single ? 4 : 8, name, end - ready, ready - start, some.size(),
                    bytes * 1e-9);
        for (const double part : parts) std::printf(" %.0f", 1e3 * part);
        std::printf("\n");
        std::fflush(stdout);
    }
    template <class Which>
    std::vector<block> those(Which which) const {
        std::vector<block> some;
        std::ranges::copy_if(leaves, std::back_inserter(some), which);
        return some;
    }
};

void print_leaves_alone(const surface& of, build_options how) {
    const gpu_maker by(of, how);
    for (const std::size_t mib : {128u, 256u, 512u}) {
        how.chunk_bytes = mib << 20;
        by.print((std::to_string(mib) + " MiB").c_str(), how, by.leaves);
    }
    by.print("dense", how, by.those([](const block& one) { return !one.admissible; }));
    const auto small = [](const block& one) {
        return one.admissible && one.rows + one.columns <= most_edges_of_a_warp;
    };
    const auto large = [](const block& one) {
        return one.admissible && one.rows + one.columns > most_edges_of_a_warp;
    };
    by.print("low-rank by warps", how, by.those(small));
    by.print("low-rank by blocks", how, by.those(large));
    how.recompress = false;
    by.print("the same by warps, not recompressed", how, by.those(small));
    by.print("the same by blocks, not recompressed", how, by.those(large));
}

}  // namespace

int main(int count, char** words) {
    const double start = measure::now();
    const surface of(shape(count > 1 ? words[1] : "bumpy:71"));
    const std::string folder = count > 2 ? words[2] : "/dev/shm";
    const std::string path = folder + "/watari-hmatrix-build-" + std::to_string(getpid());
    const std::size_t threads = count > 3 ? std::strtoul(words[3], nullptr, 10) : 0;
    const int builds = count > 4 ? std::atoi(words[4]) : 2;
    std::printf("surface and tree: %.3f s, %zu triangles; threads: %d\n", measure::now() - start,
                of.size(), threads > 0 ? static_cast<int>(threads) : cpu::current_team().threads);
    for (const bool single : {false, true}) {
        build_options how{.single = single, .threads = threads};
        for (int i = 0; i < builds; ++i) print_build(of, path, how);
        for (const std::size_t mib : {16, 32, 64}) print_file_alone(of, path, how, mib << 20);
        how.who = gpu_number(0);
        if (device::count() == 0) continue;
        for (int i = 0; i < builds + 1; ++i) print_build(of, path, how);
        unlink(path.c_str());
        print_leaves_alone(of, how);
    }
    unlink(path.c_str());
}
