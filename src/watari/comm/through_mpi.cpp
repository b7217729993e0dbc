// Paths `staged` and `device`: the host gives planes to MPI and waits for those that come. They
// differ in the memory that MPI is given.
#include "watari/comm/carrier.hpp"

namespace watari::comm {

namespace {

class through_mpi final : public carrier {
public:
    /// `from_field`: MPI is given planes that are contiguous where they lie.
    through_mpi(const halo_options& options, memory::kind kind, bool from_field)
        : carrier(options), planes_(options, kind), from_field_(from_field) {}

    void exchange(const faces& f, float* field, stream_t stream) override {
        if (from_field_ && f.contiguous()) {
            if (on_gpu()) device::synchronize(stream);
            send(f, {field + f.inner[0], field + f.inner[1]},
                 {field + f.outer[0], field + f.outer[1]});
            return;
        }
        pack(f, field, planes_.own, stream);
        if (on_gpu()) device::synchronize(stream);
        send(f, planes_.own, planes_.others);
        unpack(f, field, planes_.others, stream);
    }

private:
    plane_buffers planes_;
    bool from_field_;
};

}  // namespace

std::unique_ptr<carrier> make_staged(const halo_options& options) {
    const bool gpu = options.who.is_gpu();
    return std::make_unique<through_mpi>(options,
                                         gpu ? memory::kind::pinned : memory::kind::pageable, !gpu);
}

std::unique_ptr<carrier> make_device(const halo_options& options) {
    return std::make_unique<through_mpi>(options, options.field, true);
}

}  // namespace watari::comm
