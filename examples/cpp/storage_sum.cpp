// An array larger than its cache, on a store: the host writes it, threads double each element and
// add them up. Compiled by nvcc, the same program does so on the GPU.
//   build/example/storage_sum       (how to build: examples/README.md)
#include <watari/core/error.hpp>
#include <watari/core/parallel/sums.hpp>
#include <watari/storage/backends/ram.hpp>
#include <watari/storage/cache/mapped.hpp>
#include <watari/storage/controller/controller.hpp>

#include <cstdio>
#include <numeric>
#include <vector>

namespace here = watari::WATARI_BACKEND;  // cpu or gpu, as this file is compiled

int main() try {
    constexpr std::size_t count = 1 << 20;
    const watari::storage::controller disk(watari::storage::make_ram(count * sizeof(double)),
                                           {.queues = {.users = {here::executes}}, .threads = 2});
    here::mapped<double> data(disk.view(), {.bytes = 1 << 20});

    std::vector<double> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1.0);
    data.write(0, count, numbers.data());

    const here::array<double> array = data.array();
    here::for_each(
        count,
        [=] WATARI_KERNEL(std::size_t i) {
            double value = 0;
            if (array.get(i, value).ok()) array.put(i, 2 * value);
        },
        nullptr);
    const double total = here::sum<double>(
        count,
        [=] WATARI_KERNEL(std::size_t i) {
            double value = 0;
            return array.get(i, value).ok() ? value : -1.0;
        },
        nullptr);
    data.flush();
    std::printf("%.0f, %zu pages read\n", total, std::size_t(data.counters().fills));
} catch (const watari::error& reason) {
    std::fprintf(stderr, "%s: %s\n", reason.name(), reason.what());
    return 1;
}
