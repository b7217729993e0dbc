// The first copies of a process, between pageable memory and the GPU: first COUNT MIB in|out|fresh
// COUNT blocks of MIB, each written before it goes to the GPU; `out`: back into such blocks;
// `fresh`: back into memory that nobody has touched. Prints milliseconds: of all copies together,
// and of each.
#include <chrono>
#include <cstring>
#include <vector>

#include "../staged/driver.hpp"

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const auto count = static_cast<std::size_t>(std::atoi(argv[1]));
    const auto bytes = static_cast<std::size_t>(std::atof(argv[2]) * 1048576);
    const bool is_in = !std::strcmp(argv[3], "in"), is_fresh = !std::strcmp(argv[3], "fresh");
    void* context;
    REQUIRE(cuda::init(0));
    REQUIRE(cuda::retain_context(&context, 0));
    REQUIRE(cuda::set_context(context));
    cuda::device_pointer device;
    REQUIRE(cuda::allocate(&device, bytes));
    REQUIRE(cuda::await_all());
    std::vector<char*> blocks;
    for (std::size_t i = 0; i < count; ++i) {
        blocks.push_back(static_cast<char*>(std::malloc(bytes)));
        if (!is_fresh) std::memset(blocks.back(), static_cast<int>(i), bytes);
    }
    std::vector<double> took;
    double all = 0;
    for (char* block : blocks) {
        const auto begun = std::chrono::steady_clock::now();
        REQUIRE(is_in ? cuda::in(device, block, bytes) : cuda::out(block, device, bytes));
        const std::chrono::duration<double, std::milli> one =
            std::chrono::steady_clock::now() - begun;
        took.push_back(one.count());
        all += one.count();
    }
    std::printf("all %.3f each", all);
    for (double one : took) std::printf(" %.3f", one);
    std::printf("\n");
    return 0;
}
