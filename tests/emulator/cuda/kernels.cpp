// The kernels of the test programs, as functions of the CPU. A name is looked up inside the mangled
// name.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "kernels.hpp"
#include "observe.hpp"
#include "setting.hpp"

namespace fake {
namespace {

template <class Value>
Value argument(void** arguments, int index) {
    return *static_cast<Value*>(arguments[index]);
}

// `threads`: of all blocks together; kernels of the user's files stop there, as on a GPU.
void add_one(void** arguments, std::uint64_t) {
    auto* values = argument<float*>(arguments, 0);
    const auto count = argument<std::size_t>(arguments, 1);
    for (std::size_t i = 0; i < count; ++i) values[i] += 1.0f;
}

void triad(void** arguments, std::uint64_t) {
    auto* sums = argument<double*>(arguments, 0);
    const auto* first = argument<const double*>(arguments, 1);
    const auto* second = argument<const double*>(arguments, 2);
    const auto factor = argument<double>(arguments, 3);
    const auto count = argument<std::size_t>(arguments, 4);
    for (std::size_t i = 0; i < count; ++i) sums[i] = first[i] + factor * second[i];
}

// of src/attach/injected/touches/touches.cpp
void watari_touch(void** arguments, std::uint64_t) {
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

// of tests/attach/programs/orders.cpp: takes a time
void spin(void**, std::uint64_t) {}

// of examples/kernel
void saxpy(void** arguments, std::uint64_t threads) {
    const auto count = argument<std::size_t>(arguments, 0);
    const auto alpha = argument<float>(arguments, 1);
    const auto* x = argument<const float*>(arguments, 2);
    auto* y = argument<float*>(arguments, 3);
    for (std::size_t i = 0; i < std::min(count, threads); ++i) y[i] = alpha * x[i] + y[i];
}

void gather(void** arguments, std::uint64_t threads) {
    const auto count = argument<std::size_t>(arguments, 0);
    const auto* index = argument<const std::uint32_t*>(arguments, 1);
    const auto* from = argument<const float*>(arguments, 2);
    auto* to = argument<float*>(arguments, 3);
    for (std::size_t i = 0; i < std::min(count, threads); ++i) to[i] = from[index[i]];
}

std::uint64_t argument_of_spin(void** arguments) { return argument<std::uint64_t>(arguments, 0); }

struct kernel {
    const char* name;
    void (*run)(void** arguments, std::uint64_t threads);
    const char* sizes;                                   // of the arguments, in bytes
    std::uint64_t (*takes)(void** arguments) = nullptr;  // ns; null: by its blocks
    unsigned passes = 1;                                 // times that it uses its memory
};
constexpr kernel kernels[] = {{"add_one", add_one, "88"},
                              {"add_again", add_one, "88", nullptr, 10},
                              {"triad", triad, "88888"},
                              {"watari_touch", watari_touch, "8884"},
                              {"spin", spin, "8", argument_of_spin},
                              {"saxpy", saxpy, "8488"},
                              {"gather", gather, "8888"}};
// whose parameters this driver tells; not those of the others
constexpr const char* told[] = {"add_one", "saxpy", "gather"};

const kernel* find(const char* name) {
    for (const kernel& row : kernels)
        if (std::strstr(name, row.name)) return &row;
    return nullptr;
}

// What a kernel takes longer because its memory is not in GPU memory; nothing where that is free.
std::function<std::uint64_t()> remote(unsigned passes) {
    static const auto link = setting("FAKE_CUDA_LINK_NS"), fault = setting("FAKE_CUDA_FAULT_NS");
    if (!link && !fault) return nullptr;
    return [passes] {
        const auto [over_link, faulted] = residency::take_remote();
        return (over_link * passes * link + faulted * fault) / 1024;
    };
}

// Arguments are copied at the launch: the caller may use their memory again.
struct copied {
    std::vector<std::uint64_t> values;
    std::vector<void*> pointers;

    copied(const char* sizes, void* const* arguments) : values(std::strlen(sizes)) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::memcpy(&values[i], arguments[i], static_cast<std::size_t>(sizes[i] - '0'));
            pointers.push_back(&values[i]);
        }
    }
    copied(const copied&) = delete;
};

}  // namespace

// Each is aligned to its own size.
placed parameter_of(const char* name, std::size_t index) {
    placed found{};
    const std::string_view sizes = find(name)->sizes;
    for (std::size_t i = 0; i <= std::min(index, sizes.size()); ++i) {
        found.offset += found.size;
        found.size = i < sizes.size() ? static_cast<std::size_t>(sizes[i] - '0') : 0;
        if (found.size) found.offset = (found.offset + found.size - 1) / found.size * found.size;
    }
    return found;
}

bool tells_parameters(const char* name) {
    return std::any_of(std::begin(told), std::end(told),
                       [&](const char* known) { return std::strstr(name, known); });
}

bool has_kernel(const char* name) { return find(name) != nullptr; }

queue::operation kernel_operation(void* function, std::uint64_t blocks, std::uint64_t threads,
                                  void* const* arguments) {
    const auto* name = static_cast<const char*>(function);
    const kernel* row = find(name);
    const auto given = std::make_shared<copied>(row->sizes, arguments);
    const auto run = [=] {
        const residency::gpu_works running;
        row->run(given->pointers.data(), blocks * threads);
        if (const auto longer = setting("FAKE_CUDA_KERNEL_MS"))
            usleep(1000 * static_cast<unsigned>(longer));
    };
    return {.what = queue::operation::kind::kernel,
            .act = run,
            .of = timeline::engine::kernels,
            .takes = row->takes ? row->takes(given->pointers.data()) : timeline::of_blocks(blocks),
            .more = remote(row->passes),
            .symbol = name,
            .blocks = blocks,
            .threads = threads};
}

}  // namespace fake
