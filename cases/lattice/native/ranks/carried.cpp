#include "carried.hpp"

#include <cstring>

namespace watari::lattice {

namespace {

class packed_already final : public comm::message {
public:
    packed_already(const parameters& p, const complex<double>* sent, complex<double>* arrived)
        : p_(&p), sent_(sent), arrived_(arrived) {}

    std::size_t bytes(const comm::faces& f) const override {
        return half_spinor * face_sites(p_->size, direction(f)) * sizeof(complex<double>);
    }
    void pack(const comm::faces& f, buffers to, stream_t) const override {
        for (const bool above : {false, true})
            if (to[above] != nullptr) std::memcpy(to[above], sent_ + begin(f, above), bytes(f));
    }
    void unpack(const comm::faces& f, const_buffers from, stream_t) const override {
        for (const bool above : {false, true})
            if (from[above] != nullptr)
                std::memcpy(static_cast<void*>(arrived_ + begin(f, above)), from[above], bytes(f));
    }

private:
    static unsigned direction(const comm::faces& f) { return static_cast<unsigned>(f.axis); }
    std::size_t begin(const comm::faces& f, bool above) const {
        return halo_begin(p_->size, p_->part->split, direction(f), above);
    }

    const parameters* p_;
    const complex<double>* sent_;
    complex<double>* arrived_;
};

}  // namespace

void carry_half_spinors(const parameters& p, const complex<double>* sent,
                        complex<double>* arrived) {
    p.part->halo->exchange(packed_already(p, sent, arrived), nullptr);
}

}  // namespace watari::lattice
