// Paths `staged` and `device`: the host gives planes to MPI and waits for the planes of the
// neighbours. The paths differ in the memory that MPI gets.
#include "watari/comm/carrier.hpp"
#include "watari/memory/move.hpp"

namespace watari::comm {

namespace {

class through_mpi final : public carrier {
public:
    /// `from_field`: MPI gets contiguous planes in place.
    through_mpi(const halo_options& options, memory::kind kind, bool from_field)
        : carrier(options), buffers_(options, kind), from_field_(from_field) {}

    void exchange(const faces& f, const message& m, stream_t stream) override {
        const field whole = from_field_ ? m.in_place(f) : field{};
        if (whole.data != nullptr) {
            memory::wait(options_.who, stream);
            const ends_in_place ends(f, whole);
            return send(f, ends.own, ends.others, m.bytes(f));
        }
        m.pack(f, buffers_.own, stream);
        memory::wait(options_.who, stream);
        send(f, buffers_.own, buffers_.others, m.bytes(f));
        m.unpack(f, buffers_.others, stream);
    }

private:
    face_buffers buffers_;
    bool from_field_;
};

}  // namespace

std::unique_ptr<carrier> make_staged(const halo_options& options) {
    return std::make_unique<through_mpi>(options, memory::host_kind(options.who),
                                         !options.who.is_gpu());
}

std::unique_ptr<carrier> make_device(const halo_options& options) {
    return std::make_unique<through_mpi>(options, options.field, true);
}

}  // namespace watari::comm
