// Products with view factors have the same bits on a GPU, whose unchanged source runs on fibers of
// the CPU, as on the CPU.
#include "../../native/radiation/products.hpp"
#include "../../native/radiation/views.hpp"

#include <cstring>
#include <random>

#include "radiant_city.hpp"
#include "tests/emulator/fibers.hpp"

namespace watari::emulated_products {
using namespace emulated;

template <class Body>
void for_each_warp(std::size_t count, Body body, stream_t stream) {
    launch<32, 1>(
        count, dim3(32), [=] { body(blockIdx.x); }, stream);
}
}  // namespace watari::emulated_products

#define gpu emulated_products
#include "../../native/radiation/products_gpu.hpp"
#undef gpu

namespace watari::les {
namespace {

TEST(LesProducts, SameBitsOnAGpu) {
    const parameters p = two_blocks();
    const view_factors views = trace_views(p, facet_list(p));
    const std::size_t rows = views.facets();
    std::mt19937 engine(7);
    std::uniform_real_distribution<double> any(0.1, 500);
    std::vector<double> x(waves * rows), expected(x.size()), found(x.size());
    std::vector<float> reflected(x.size());
    for (std::size_t n = 0; n < x.size(); ++n) {
        x[n] = any(engine);
        reflected[n] = static_cast<float>(any(engine) / 1000);
    }
    const std::vector<std::uint32_t> parts{0, static_cast<std::uint32_t>(rows / 3),
                                           static_cast<std::uint32_t>(rows)};
    const view_matrix m{rows,
                        views.first.data(),
                        views.column.data(),
                        views.shared.data(),
                        views.area.data(),
                        reflected.data(),
                        parts.data(),
                        parts.size() - 1};
    radiosity_kernels::cpu.apply(m, x.data(), expected.data(), nullptr);
    emulated_products::for_each_product(
        m, x.data(),
        [&](std::size_t row, double of_long, double of_short) {
            const double sums[waves] = {of_long, of_short};
            for (unsigned w = 0; w < waves; ++w) {
                const std::size_t n = waves * row + w;
                found[n] = x[n] - double(reflected[n]) * (sums[w] / double(m.area[row]));
            }
        },
        nullptr);
    EXPECT_EQ(std::memcmp(expected.data(), found.data(), x.size() * sizeof x[0]), 0);
}

}  // namespace
}  // namespace watari::les
