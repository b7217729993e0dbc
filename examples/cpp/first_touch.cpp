// First touch: writes memory of every kind on the CPU and prints where its pages lie.
//   build/example/first_touch       (how to build: examples/README.md)
#include <watari/core/error.hpp>
#include <watari/measure/pattern.hpp>
#include <watari/memory/buffer.hpp>
#include <watari/memory/residency.hpp>

#include <cstdio>

int main() {
    constexpr std::size_t count = 1 << 20;
    for (const auto& row : watari::memory::kinds()) {
        try {
            const watari::memory::buffer<double> data(row.kind, count);
            watari::memory::require_access(row, watari::the_cpu);
            watari::kernels_on<watari::measure::pattern_kernels>(watari::the_cpu)
                .fill(data.data(), count, 1, nullptr);
            const auto seen = watari::memory::locate(data.block(), true);
            std::printf("%-9s %zu bytes: %zu on the CPU, %zu on the GPU (%s)\n", row.name.data(),
                        seen.bytes, seen.cpu, seen.gpu, seen.method.c_str());
        } catch (const watari::unsupported& reason) {
            std::printf("%-9s unsupported: %s\n", row.name.data(), reason.what());
        }
    }
}
