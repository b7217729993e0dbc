// A whole program that copies: whole COUNT MIB [fresh]
// COUNT times: it writes a block, copies it to the GPU and back, and adds it up; with `fresh`, back
// to memory that nobody has touched. Prints the sum, and the milliseconds of this loop.
#include <cstring>
#include <numeric>
#include <vector>

#include "../../staged/driver.hpp"

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const int count = std::atoi(argv[1]);
    const auto bytes = static_cast<std::size_t>(std::atof(argv[2]) * 1048576);
    const bool is_fresh = argc > 3;
    begin();
    const cuda::device_pointer device = allocated(bytes);
    std::vector<float> block(bytes / sizeof(float));
    float sum = 0;
    const double took = milliseconds([&] {
        for (int i = 0; i < count; ++i) {
            std::fill(block.begin(), block.end(), static_cast<float>(i));
            REQUIRE(cuda::in(device, block.data(), bytes));
            if (is_fresh) block = std::vector<float>();
            if (is_fresh) block.resize(bytes / sizeof(float));
            REQUIRE(cuda::out(block.data(), device, bytes));
            sum += std::accumulate(block.begin(), block.end(), 0.0f);
        }
    });
    std::printf("sum %g ms %.3f\n", static_cast<double>(sum), took);
    return 0;
}
