// The hop for both backends, site by site; hop_body.hpp has its bytes and flops.
#include "hop.hpp"

#include "site.hpp"
#include "watari/core/loops.hpp"

namespace watari::WATARI_BACKEND {

namespace {

template <unsigned LinkElements, class Real>
void run(const lattice::hop_arguments<Real>& given, stream_t stream) {
    const lattice::hop_arguments<Real> a = given;
    const std::size_t half = a.where.size.half();
    for_each(
        half * a.systems,
        [=] WATARI_KERNEL(std::size_t n) {
            hop_at<LinkElements, plain>(
                a, static_cast<unsigned>(n % half), n / half,
                [&](std::size_t e, const complex<Real>& value) { a.out[e] = value; });
        },
        stream);
}

}  // namespace

template <class Real>
void shared_hop(const lattice::hop_arguments<Real>& a, stream_t stream) {
    a.link_elements == 6 ? run<6>(a, stream) : run<9>(a, stream);
}

template void shared_hop(const lattice::hop_arguments<float>&, stream_t);
template void shared_hop(const lattice::hop_arguments<double>&, stream_t);

}  // namespace watari::WATARI_BACKEND
