// The first copies of a process, between pageable memory and the GPU: first COUNT MIB in|out|fresh
// COUNT blocks of MIB, each written before it goes to the GPU; `out`: back into such blocks;
// `fresh`: back into memory that nobody has touched. Prints milliseconds: of all copies together,
// and of each.
#include <cstring>
#include <vector>

#include "../../staged/driver.hpp"

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const auto count = static_cast<std::size_t>(std::atoi(argv[1]));
    const auto bytes = static_cast<std::size_t>(std::atof(argv[2]) * 1048576);
    const bool is_in = !std::strcmp(argv[3], "in"), is_fresh = !std::strcmp(argv[3], "fresh");
    begin();
    const cuda::device_pointer device = allocated(bytes);
    REQUIRE(cuda::await_all());
    std::vector<char*> blocks;
    for (std::size_t i = 0; i < count; ++i) {
        blocks.push_back(static_cast<char*>(std::malloc(bytes)));
        if (!is_fresh) std::memset(blocks.back(), static_cast<int>(i), bytes);
    }
    std::vector<double> took;
    double all = 0;
    for (char* block : blocks) {
        took.push_back(milliseconds([&] {
            REQUIRE(is_in ? cuda::in(device, block, bytes) : cuda::out(block, device, bytes));
        }));
        all += took.back();
    }
    std::printf("all %.3f each", all);
    for (double one : took) std::printf(" %.3f", one);
    std::printf("\n");
    return 0;
}
