// An array in a file, larger than its cache. Makes the file, writes squares to it by all threads,
// closes it, opens it again and adds them up.
//   build/example/file_array numbers.bin 64       (MiB; how to build: examples/README.md)
#include <watari/core/error.hpp>
#include <watari/core/parallel/sums.hpp>
#include <watari/files/direct_unit.hpp>
#include <watari/storage/backends/file.hpp>
#include <watari/storage/cache/mapped.hpp>
#include <watari/storage/controller/controller.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace here = watari::WATARI_BACKEND;  // cpu or gpu, as this file is compiled
using watari::storage::controller;

/// The file as a namespace that two threads serve; past the page cache if its disk allows that.
controller opened(const std::string& path) {
    using watari::files::cache_state;
    const bool direct = watari::files::direct_unit_of(path) > 0;
    const watari::files::file_options options{
        .paths = {path}, .writable = true, .cache = direct ? cache_state::none : cache_state::warm};
    return controller(watari::storage::make_file(options),
                      {.queues = {.users = {here::executes}}, .threads = 2});
}

int main(int words, char** word) try {
    const std::size_t bytes = words == 3 ? std::strtoul(word[2], nullptr, 10) << 20 : 0;
    if (bytes == 0) throw watari::usage_error("file_array FILE MEBIBYTES");
    const std::string path = word[1];
    if (!std::ofstream(path)) throw watari::file_error(path + ": cannot be made");
    std::filesystem::resize_file(path, bytes);
    const std::size_t count = bytes / sizeof(double);
    {
        const controller disk = opened(path);
        here::mapped<double> numbers(disk.view(), {.bytes = 4 << 20});
        const here::array<double> array = numbers.array();
        here::for_each(
            count,
            [=] WATARI_KERNEL(std::size_t i) {
                array.put(i, static_cast<double>(i) * static_cast<double>(i));
            },
            nullptr);
        numbers.flush();  // to the disk; throws the error of a failed write
    }
    const controller disk = opened(path);
    here::mapped<double> numbers(disk.view(), {.bytes = 4 << 20});
    const here::array<double> array = numbers.array();
    const double total = here::sum<double>(
        count,
        [=] WATARI_KERNEL(std::size_t i) {
            double value = 0;
            return array.get(i, value).ok() ? value : -1.0;
        },
        nullptr);
    std::printf("sum of the squares below %zu: %.10g\n", count, total);
} catch (const watari::error& reason) {
    std::fprintf(stderr, "%s: %s\n", reason.name(), reason.what());
    return 1;
} catch (const std::filesystem::filesystem_error& reason) {
    std::fprintf(stderr, "%s\n", reason.what());
    return 1;
}
