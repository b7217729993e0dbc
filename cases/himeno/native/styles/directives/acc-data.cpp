// Style `acc-data`: a data region around the loop. Each halo exchange copies the planes to the host
// and back (Doi 2016, implementation 1).
#include "acc_kernels.hpp"

#include <cstdlib>
#include <utility>

namespace watari::himeno::directive {

namespace {

/// Copies one plane a side. GCC's update takes only contiguous sections: planes of j and k are
/// packed on one side, copied, and unpacked on the other.
void exchange_halo(const request& r, float* p, float* faces) {
    if (r.exchange == nullptr) return;
    const std::size_t plane = r.j * r.k, points = r.i * plane, packed = face_points(r);
#pragma acc host_data use_device(p, faces)
    move_faces(r, p, faces, inner, way::pack, true);
#pragma acc update host(faces [0:packed])
    move_faces(r, p, faces, inner, way::unpack, false);
    if (r.split_i > 1) {
#pragma acc update host(p [plane:plane])
#pragma acc update host(p [points - 2 * plane:plane])
    }
    r.exchange(r.caller, p);
    if (r.split_i > 1) {
#pragma acc update device(p [0:plane])
#pragma acc update device(p [points - plane:plane])
    }
    move_faces(r, p, faces, outer, way::pack, false);
#pragma acc update device(faces [0:packed])
#pragma acc host_data use_device(p, faces)
    move_faces(r, p, faces, outer, way::unpack, true);
}

}  // namespace

extern "C" void acc_data(const request* r, answer* out) {
    if (!choose_device(*r, *out)) return;
    out->ran_on_gpu = asks_where_it_runs();
    const std::size_t n = r->i * r->j * r->k;
    stopwatch watch;

    float* p = static_cast<float*>(std::malloc(n * sizeof(float)));
    float* wrk2 = static_cast<float*>(std::malloc(n * sizeof(float)));
    float* wrk1 = static_cast<float*>(std::malloc(n * sizeof(float)));
    float* bnd = static_cast<float*>(std::malloc(n * sizeof(float)));
    float* a = static_cast<float*>(std::malloc(4 * n * sizeof(float)));
    float* b = static_cast<float*>(std::malloc(3 * n * sizeof(float)));
    float* c = static_cast<float*>(std::malloc(3 * n * sizeof(float)));
    float* faces = static_cast<float*>(std::malloc(face_points(*r) * sizeof(float)));
    const std::size_t packed = face_points(*r);
    const arrays initial{p, wrk2, wrk1, bnd, a, b, c};
    out->allocate = watch.lap();

    r->initialise(r->caller, &initial);
    watch.lap();

#pragma acc data copyin(a [0:4 * n], b [0:3 * n], c [0:3 * n], wrk1 [0:n], bnd [0:n], p [0:n]) \
    create(wrk2 [0:n], faces [0:packed])
    {
        if (r->fused) {  // after a swap its boundary planes are those of p
#pragma acc update device(wrk2 [0:n])
        }
        out->transfer_in = watch.lap();

        for (int iteration = 0; iteration < r->iterations; ++iteration) {
#pragma acc host_data use_device(p, wrk2, a, b, c, wrk1, bnd)
            {
                r->gosa[iteration] = step(*r, p, wrk2, a, b, c, wrk1, bnd);
                if (!r->fused) update(*r, p, wrk2);
            }
            if (r->fused) std::swap(p, wrk2);
            exchange_halo(*r, p, faces);
            r->seconds[iteration] = watch.lap();
        }

#pragma acc update host(p [0:n])
        out->transfer_out = watch.lap();
    }
    out->release_device = watch.lap();

    const arrays final{p, wrk2, wrk1, bnd, a, b, c};
    r->finish(r->caller, &final);
    out->read = watch.lap();

    for (float* array : {p, wrk2, wrk1, bnd, a, b, c, faces}) std::free(array);
    out->release = watch.lap();
}

}  // namespace watari::himeno::directive
