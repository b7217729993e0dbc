// The kernels of the test programs, as functions of the CPU. A name is looked up inside the mangled
// name.
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "fake_cuda.hpp"

namespace fake {
namespace {

template <class Value>
Value argument(void** arguments, int index) {
    return *static_cast<Value*>(arguments[index]);
}

void add_one(void** arguments) {
    auto* values = argument<float*>(arguments, 0);
    const auto count = argument<std::size_t>(arguments, 1);
    for (std::size_t i = 0; i < count; ++i) values[i] += 1.0f;
}

void triad(void** arguments) {
    auto* sums = argument<double*>(arguments, 0);
    const auto* first = argument<const double*>(arguments, 1);
    const auto* second = argument<const double*>(arguments, 2);
    const auto factor = argument<double>(arguments, 3);
    const auto count = argument<std::size_t>(arguments, 4);
    for (std::size_t i = 0; i < count; ++i) sums[i] = first[i] + factor * second[i];
}

// of src/attach/injected/touches.cpp
void watari_touch(void** arguments) {
    auto* first = argument<volatile unsigned char*>(arguments, 0);
    const auto step = argument<std::uint64_t>(arguments, 1);
    const auto count = argument<std::uint64_t>(arguments, 2);
    const bool writes = argument<unsigned>(arguments, 3) != 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        if (writes)
            first[i * step] = 2;
        else
            static_cast<void>(first[i * step]);
    }
}

void watari_spin(void**) {}

struct kernel {
    const char* name;
    void (*run)(void** arguments);
};
constexpr kernel kernels[] = {{"add_one", add_one},
                              {"triad", triad},
                              {"watari_touch", watari_touch},
                              {"watari_spin", watari_spin}};

const kernel* find(const char* name) {
    for (const kernel& row : kernels)
        if (std::strstr(name, row.name)) return &row;
    return nullptr;
}

}  // namespace

bool has_kernel(const char* name) { return find(name) != nullptr; }

bool run_kernel(const char* name, void** arguments) {
    const kernel* row = find(name);
    if (row) row->run(arguments);
    if (const char* longer = std::getenv("FAKE_CUDA_KERNEL_MS")) usleep(1000 * std::atoi(longer));
    return row != nullptr;
}

}  // namespace fake
