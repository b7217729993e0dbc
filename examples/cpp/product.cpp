// The product of two matrices in .npy files, which may be larger than memory. After a kill, the
// same command resumes from the completed tiles.
//   build/example/product A.npy B.npy C.npy 8192       (how to build: examples/README.md)
#include <watari/core/error.hpp>
#include <watari/gemm/product/product.hpp>

#include <cstdio>
#include <cstdlib>

int main(int count, char** words) try {
    if (count != 5) throw watari::usage_error("product A.npy B.npy C.npy MEBIBYTES");
    const watari::gemm::product_counts took = watari::gemm::multiply(
        {.a = words[1],
         .b = words[2],
         .c = words[3],
         .fast_memory = std::strtoul(words[4], nullptr, 10) << 20},
        [](std::size_t finished, double part) {
            std::fprintf(stderr, "%3.0f%%, %zu tiles\n", 100 * part, finished);
            return true;
        });
    std::printf("%.3g s, %zu tiles, %zu bytes read and %zu written, by %s\n", took.seconds,
                took.tiles, std::size_t(took.read), std::size_t(took.written), took.blas.c_str());
} catch (const watari::error& reason) {
    std::fprintf(stderr, "%s: %s\n", reason.name(), reason.what());
    return 1;
}
