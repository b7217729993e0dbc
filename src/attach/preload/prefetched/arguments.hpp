// The pointers that a launch passes: words of its parameters, also inside structures.
#pragma once

#include <cstddef>
#include <cstdint>

namespace attach::prefetched {

class arguments {
public:
    // `parameters` as of cuLaunchKernel; null, or a driver before CUDA 12.4: nothing is known.
    arguments(const void* function, void** parameters);
    // Whether a word is an address in this range; true if nothing is known.
    bool name(std::uint64_t address, std::size_t bytes) const;

private:
    static constexpr std::size_t most = 512;  // 4 KiB, the most that kernels took before CUDA 12.1
    std::uint64_t words[most];
    std::size_t count = 0;
    bool is_known = false;
};

}  // namespace attach::prefetched
