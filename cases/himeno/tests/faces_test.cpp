// The planes that ranks exchange, packed from one array and unpacked into another: as between a GPU
// and the host, of which host code shows nothing.
#include "../native/styles/directives/omp_kernels.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

using namespace watari::himeno::directive;

#ifdef WATARI_FORTRAN_STYLES
extern "C" {
void __himeno_acc_MOD_pack_faces(const request*, float*, float*, float*, const int*, const int*);
void __himeno_acc_MOD_unpack_faces(const request*, float*, float*, float*, const int*, const int*);
void __himeno_omp_MOD_pack_faces(const request*, float*, float*, float*, const int*, const int*);
void __himeno_omp_MOD_unpack_faces(const request*, float*, float*, float*, const int*, const int*);
}
#endif

namespace {

/// Points of j- and k-planes `depth` inside the grid, for the axes that are split, have the values
/// of `from`; all others those of `before`.
void expect_planes(const request& r, int depth, const std::vector<float>& from,
                   const std::vector<float>& before, const std::vector<float>& after) {
    const std::size_t d = static_cast<std::size_t>(depth);
    std::size_t x = 0;
    for (std::size_t i = 0; i < r.i; ++i)
        for (std::size_t j = 0; j < r.j; ++j)
            for (std::size_t k = 0; k < r.k; ++k, ++x) {
                const bool of_j = r.split_j > 1 && (j == d || j == r.j - 1 - d);
                const bool of_k = r.split_k > 1 && (k == d || k == r.k - 1 - d);
                ASSERT_EQ(after[x], of_j || of_k ? from[x] : before[x])
                    << i << " " << j << " " << k;
            }
}

template <class Run>
void check(const Run& run) {
    for (const int split_j : {1, 2})
        for (const int split_k : {1, 2})
            for (const int depth : {outer, inner}) {
                request r{};
                r.i = 5, r.j = 7, r.k = 6;
                r.split_i = 1, r.split_j = split_j, r.split_k = split_k;
                std::vector<float> from(r.i * r.j * r.k), to(from.size(), -1);
                std::iota(from.begin(), from.end(), 1.0f);
                const std::vector<float> before = to;
                std::vector<float> faces(face_points(r));
                run(r, from, to, faces, depth);
                expect_planes(r, depth, from, before, to);
            }
}

TEST(himeno_faces, reach_the_other_array) {
    check([](const request& r, std::vector<float>& from, std::vector<float>& to,
             std::vector<float>& faces, int depth) {
        move_faces(r, from.data(), faces.data(), depth, way::pack, false);
        move_faces(r, to.data(), faces.data(), depth, way::unpack, false);
    });
}

#ifdef WATARI_FORTRAN_STYLES
TEST(himeno_faces, reach_the_other_array_in_fortran) {
    for (const bool acc : {true, false})
        check([acc](const request& r, std::vector<float>& from, std::vector<float>& to,
                    std::vector<float>&, int depth) {
            std::vector<float> of_j(2 * r.i * r.k), of_k(2 * r.i * r.j);
            const int on_gpu = 0;
            (acc ? __himeno_acc_MOD_pack_faces : __himeno_omp_MOD_pack_faces)(
                &r, from.data(), of_j.data(), of_k.data(), &depth, &on_gpu);
            (acc ? __himeno_acc_MOD_unpack_faces : __himeno_omp_MOD_unpack_faces)(
                &r, to.data(), of_j.data(), of_k.data(), &depth, &on_gpu);
        });
}
#endif

}  // namespace
