// Path `peer`: GPUs of one host. Each rank has landing buffers in its GPU's memory, which its
// neighbours have opened (CUDA IPC): they put their planes there, over NVLink or PCIe, and the rank
// takes them over. Nothing but the landing buffers is shared, so the field may be any memory.
//
// In stream order: planes are written to the neighbour, an event is recorded there; the neighbour's
// stream waits for that event. MPI only reports that the event has been recorded: an event that has
// not been is not waited for. There are two landing buffers for each face, used in turn. A rank
// writes to one again after it has waited for the neighbour's following event, which the neighbour
// records after it has taken the plane over: nothing is overwritten unread.
#include "watari/comm/carrier.hpp"
#include "watari/core/cuda.hpp"

#include <algorithm>
#include <array>
#include <exception>

namespace watari::comm {

namespace {

constexpr std::size_t sides = 2, turns = 2;

/// What a rank lets the others open.
struct card {
    cudaIpcMemHandle_t landing;
    std::array<std::array<cudaIpcEventHandle_t, turns>, most_axes> written;
};

/// One neighbour's memory and events, opened.
struct neighbour {
    std::byte* landing = nullptr;
    std::array<cudaEvent_t, turns> written{};
};

/// Throws unsupported where CUDA cannot open another process's memory or events.
void open(cudaError_t status) {
    if (status == cudaSuccess) return;
    cudaGetLastError();
    throw unsupported(std::string("halo=peer: CUDA IPC: ") + cudaGetErrorString(status));
}

class peer_carrier final : public carrier {
public:
    explicit peer_carrier(const halo_options& options) : carrier(options) {
        options.ranks->together([&] { require_one_host(); });
        require_access();
        double largest = static_cast<double>(face_bytes(options));
        options.ranks->maximum({&largest, 1});
        landing_bytes_ = (static_cast<std::size_t>(largest) + 255) / 256 * 256;
        card own{};
        options.ranks->together([&] { own = offer(); });
        const std::vector<card> all = options.ranks->gather(own);
        options.ranks->together([&] { open_neighbours(all); });
    }
    ~peer_carrier() override {
        for (auto& of_axis : neighbours_)
            for (neighbour& one : of_axis) {
                if (&one != &of_axis[0] && one.landing == of_axis[0].landing) continue;
                for (const cudaEvent_t event : one.written)
                    if (event) cudaEventDestroy(event);
                if (one.landing) cudaIpcCloseMemHandle(one.landing);
            }
        // memory is given back after all have closed it; a rank that fails does not wait for others
        if (std::uncaught_exceptions() == 0) options_.ranks->barrier();
        for (auto& of_axis : written_)
            for (const cudaEvent_t event : of_axis)
                if (event) cudaEventDestroy(event);
        if (landing_) cudaFree(landing_);
    }

    void exchange(const faces& f, const message& m, stream_t stream) override {
        const std::size_t turn = turn_[f.axis]++ % turns;
        auto& around = neighbours_[f.axis];
        std::byte *to[sides]{}, *own[sides]{};
        for (const std::size_t side : {0, 1}) {
            own[side] = landing_ + landing_offset(f.axis, side, turn);
            // the neighbour below has me above it
            if (f.ranks[side] != nobody)
                to[side] = around[side].landing + landing_offset(f.axis, 1 - side, turn);
        }
        m.pack(f, to, stream);
        check(cudaEventRecord(written_[f.axis][turn], stream));
        tell(f);
        for (const std::size_t side : {0, 1})
            if (f.ranks[side] != nobody)
                check(cudaStreamWaitEvent(stream, around[side].written[turn], 0));
        m.unpack(f, own, stream);
    }

private:
    void require_one_host() const {
        if (options_.ranks->local_size() != options_.ranks->size())
            throw unsupported(
                "halo=peer is within one host: " + std::to_string(options_.ranks->local_size()) +
                " of the " + std::to_string(options_.ranks->size()) + " ranks are on this one");
    }

    void require_access() const {
        const std::vector<int> gpus = options_.ranks->gather(options_.who.number);
        options_.ranks->together([&] {
            for (const faces& f : options_.part.axes)
                for (const int rank : f.ranks) {
                    if (rank == nobody || rank == options_.part.rank) continue;
                    const int other = gpus[static_cast<std::size_t>(rank)];
                    int possible = 0;
                    check(cudaDeviceCanAccessPeer(&possible, options_.who.number, other));
                    if (!possible)
                        throw unsupported(
                            "halo=peer: gpu:" + std::to_string(options_.who.number) +
                            " cannot address the memory of gpu:" + std::to_string(other));
                }
        });
    }

    /// Allocates landing buffers and events, for others to open.
    card offer() {
        // a whole number of the driver's 2 MiB pieces: a smaller allocation shares one with others
        const std::size_t piece = std::size_t{2} << 20;
        const std::size_t bytes = most_axes * sides * turns * landing_bytes_;
        void* landing = nullptr;
        check(cudaMalloc(&landing, (bytes + piece - 1) / piece * piece));
        landing_ = static_cast<std::byte*>(landing);
        card own{};
        open(cudaIpcGetMemHandle(&own.landing, landing_));
        for (std::size_t axis = 0; axis < most_axes; ++axis)
            for (std::size_t turn = 0; turn < turns; ++turn) {
                cudaEvent_t& event = written_[axis][turn];
                open(cudaEventCreateWithFlags(&event,
                                              cudaEventDisableTiming | cudaEventInterprocess));
                open(cudaIpcGetEventHandle(&own.written[axis][turn], event));
            }
        return own;
    }

    void open_neighbours(const std::vector<card>& all) {
        for (const faces& f : options_.part.axes)
            for (const std::size_t side : {0, 1}) {
                if (f.ranks[side] == nobody || f.ranks[side] == options_.part.rank) continue;
                const card& theirs = all[static_cast<std::size_t>(f.ranks[side])];
                neighbour& one = neighbours_[f.axis][side];
                if (side == 1 && f.ranks[0] == f.ranks[1]) {  // two ranks around an axis
                    one = neighbours_[f.axis][0];
                    continue;
                }
                void* landing = nullptr;
                open(
                    cudaIpcOpenMemHandle(&landing, theirs.landing, cudaIpcMemLazyEnablePeerAccess));
                one.landing = static_cast<std::byte*>(landing);
                for (std::size_t turn = 0; turn < turns; ++turn)
                    open(cudaIpcOpenEventHandle(&one.written[turn], theirs.written[f.axis][turn]));
            }
    }

    /// Neighbours tell each other that they have recorded.
    void tell(const faces& f) const {
        const char own = 0;
        char others[sides]{};
        options_.ranks->exchange(f.ranks, {&own, &own}, {&others[0], &others[1]}, sizeof own);
    }

    /// First byte of a landing buffer: a rank's plane along `axis` on `side` of it.
    std::size_t landing_offset(std::size_t axis, std::size_t side, std::size_t turn) const {
        return ((axis * sides + side) * turns + turn) * landing_bytes_;
    }

    std::size_t landing_bytes_ = 0;  ///< of a landing buffer, the same on all ranks
    std::byte* landing_ = nullptr;
    std::array<std::array<cudaEvent_t, turns>, most_axes> written_{};
    std::array<std::array<neighbour, sides>, most_axes> neighbours_{};
    std::array<std::size_t, most_axes> turn_{};
};

}  // namespace

std::unique_ptr<carrier> make_peer(const halo_options& options) {
    return std::make_unique<peer_carrier>(options);
}

}  // namespace watari::comm
