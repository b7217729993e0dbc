#include "carried.hpp"

#include "watari/memory/move.hpp"

namespace watari::lattice {

namespace {

class packed_already final : public comm::message {
public:
    packed_already(const parameters& p, const complex<double>* sent, complex<double>* arrived)
        : p_(&p), sent_(sent), arrived_(arrived) {}

    std::size_t bytes(const comm::faces& f) const override {
        return half_spinor * face_sites(p_->size, direction(f)) * sizeof(complex<double>);
    }
    void pack(const comm::faces& f, buffers to, stream_t stream) const override {
        for (const bool above : {false, true})
            if (to[above] != nullptr) copy(to[above], sent_ + begin(f, above), bytes(f), stream);
    }
    void unpack(const comm::faces& f, const_buffers from, stream_t stream) const override {
        for (const bool above : {false, true})
            if (from[above] != nullptr)
                copy(arrived_ + begin(f, above), from[above], bytes(f), stream);
    }

private:
    void copy(void* to, const void* from, std::size_t bytes, stream_t stream) const {
        memory::copy(p_->part->carrier, to, from, bytes, stream);
    }
    static unsigned direction(const comm::faces& f) { return static_cast<unsigned>(f.axis); }
    std::size_t begin(const comm::faces& f, bool above) const {
        return halo_begin(p_->size, p_->part->split, direction(f), above);
    }

    const parameters* p_;
    const complex<double>* sent_;
    complex<double>* arrived_;
};

}  // namespace

void carry_half_spinors(const parameters& p, const complex<double>* sent, complex<double>* arrived,
                        stream_t stream) {
    const bool by_gpu = p.part->carrier.is_gpu();
    if (!by_gpu && stream != nullptr) device::synchronize(stream);
    p.part->halo->exchange(packed_already(p, sent, arrived), by_gpu ? stream : nullptr);
}

}  // namespace watari::lattice
