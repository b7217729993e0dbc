// Data outside of any allocation: static, on the stack, mapped from a file. A GPU that shares the
// CPU's page tables, or is notified of their changes, reads such data as the CPU does (Yoshida
// 2024, section 4.3).
#include <gtest/gtest.h>

#include "watari/core/device.hpp"
#include "watari/measure/pattern.hpp"
#include "watari/memory/kind.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace watari {
namespace {

constexpr std::size_t count = 1000;
constexpr std::uint64_t seed = 3;
double static_data[count];

/// The processors that read all of the program's memory: the CPU, and the GPU if it can.
std::vector<processor> readers() {
    std::vector<processor> found{the_cpu};
    const memory::kind_row& system = memory::row(memory::kind::system);
    if (device::count() > 0 && system.unsupported(0).empty()) found.push_back(gpu_number(0));
    return found;
}

void fill(double* data) {
    kernels_on<measure::pattern_kernels>(the_cpu).fill(data, count, seed, nullptr);
}

std::size_t mismatches(processor who, const double* data) {
    return kernels_on<measure::pattern_kernels>(who).mismatches(data, count, seed, nullptr);
}

TEST(ProgramData, StaticDataAreRead) {
    fill(static_data);
    for (const processor who : readers()) {
        EXPECT_EQ(mismatches(who, static_data), 0u);
        static_data[count - 1] += 1;  // the CPU's change is seen
        EXPECT_EQ(mismatches(who, static_data), 1u);
        static_data[count - 1] -= 1;
    }
}

TEST(ProgramData, TheStackIsRead) {
    double on_stack[count];
    fill(on_stack);
    for (const processor who : readers()) {
        EXPECT_EQ(mismatches(who, on_stack), 0u);
        on_stack[0] += 1;
        EXPECT_EQ(mismatches(who, on_stack), 1u);
        on_stack[0] -= 1;
    }
}

TEST(ProgramData, AMappedFileIsRead) {
    std::string name = testing::TempDir() + "program_data_XXXXXX";
    const int file = mkstemp(name.data());
    ASSERT_GE(file, 0);
    unlink(name.c_str());
    std::vector<double> written(count);
    fill(written.data());
    const auto bytes = static_cast<ssize_t>(count * sizeof(double));
    ASSERT_EQ(write(file, written.data(), count * sizeof(double)), bytes);
    void* mapped = mmap(nullptr, count * sizeof(double), PROT_READ, MAP_SHARED, file, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    for (const processor who : readers())
        EXPECT_EQ(mismatches(who, static_cast<const double*>(mapped)), 0u);
    munmap(mapped, count * sizeof(double));
    close(file);
}

TEST(ProgramData, AGpuReadsItWhereTheMachineSaysSo) {
    if (device::count() == 0) GTEST_SKIP() << device::absent_reason();
    const std::string reason = memory::row(memory::kind::system).unsupported(0);
    if (!reason.empty()) GTEST_SKIP() << reason;
    EXPECT_EQ(readers().size(), 2u);
}

}  // namespace
}  // namespace watari
