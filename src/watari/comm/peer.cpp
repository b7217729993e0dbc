// Path `peer`: GPUs of one host. Each rank has landing buffers in its GPU's memory, which its
// neighbours have opened (CUDA IPC). Neighbours write their planes there, over NVLink or PCIe, and
// the rank unpacks them. Only the landing buffers are shared, so the field may be in any memory.
//
// In stream order: each rank packs planes into its neighbours' buffers, the streams meet
// (meeting.hpp), each rank unpacks the planes that have arrived. There are two landing buffers for
// each face, used in turn. A rank writes to a buffer again after the following meeting, which the
// neighbour reaches after it has unpacked the plane: no plane is overwritten unread.
#include "watari/comm/carrier.hpp"
#include "watari/comm/meeting.hpp"
#include "watari/core/cuda.hpp"

#include <algorithm>
#include <array>
#include <exception>

namespace watari::comm {

namespace {

constexpr std::size_t sides = 2, turns = 2;

/// Counts of meetings, behind a rank's landing buffers: its own, and the counts that neighbours
/// write.
struct counts {
    std::uint64_t own[most_axes][sides], others[most_axes][sides];
};

/// Throws unsupported where CUDA cannot open another process's memory.
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
        cudaIpcMemHandle_t own{};
        options.ranks->together([&] { own = offer(); });
        const std::vector<cudaIpcMemHandle_t> all = options.ranks->gather(own);
        options.ranks->together([&] { open_neighbours(all); });
    }
    ~peer_carrier() override {
        for (const auto& of_axis : neighbours_)
            for (const std::size_t side : {0, 1})
                if (of_axis[side] && (side == 0 || of_axis[1] != of_axis[0]))
                    cudaIpcCloseMemHandle(of_axis[side]);
        // all ranks close the memory before it is freed; a rank that fails does not wait for others
        if (std::uncaught_exceptions() == 0) options_.ranks->barrier();
        if (landing_) cudaFree(landing_);
    }

    void exchange(const faces& f, const message& m, stream_t stream) override {
        const std::size_t turn = turn_[f.axis]++ % turns;
        std::byte *to[sides]{}, *own[sides]{};
        meeting with[sides];
        for (const std::size_t side : {0, 1}) {
            own[side] = landing_ + landing_offset(f.axis, side, turn);
            if (f.ranks[side] == nobody) continue;
            // this rank is above its neighbour below
            std::byte* const theirs = neighbours_[f.axis][side];
            to[side] = theirs + landing_offset(f.axis, 1 - side, turn);
            counts &mine = *counts_in(landing_), &others = *counts_in(theirs);
            with[side] = {&mine.own[f.axis][side], &mine.others[f.axis][side],
                          &others.others[f.axis][1 - side]};
        }
        m.pack(f, to, stream);
        meet(with, stream);
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

    /// Allocates landing buffers and counts, for others to open.
    cudaIpcMemHandle_t offer() {
        // a whole number of the driver's 2 MiB pieces: a smaller allocation shares one with others
        const std::size_t piece = std::size_t{2} << 20;
        const std::size_t bytes = counts_offset() + sizeof(counts);
        void* landing = nullptr;
        check(cudaMalloc(&landing, (bytes + piece - 1) / piece * piece));
        landing_ = static_cast<std::byte*>(landing);
        check(cudaMemset(counts_in(landing_), 0, sizeof(counts)));
        check(cudaDeviceSynchronize());  // before a neighbour writes there
        cudaIpcMemHandle_t own{};
        open(cudaIpcGetMemHandle(&own, landing_));
        return own;
    }

    void open_neighbours(const std::vector<cudaIpcMemHandle_t>& all) {
        for (const faces& f : options_.part.axes)
            for (const std::size_t side : {0, 1}) {
                if (f.ranks[side] == nobody || f.ranks[side] == options_.part.rank) continue;
                auto& around = neighbours_[f.axis];
                if (side == 1 && f.ranks[0] == f.ranks[1]) {  // two ranks around an axis
                    around[1] = around[0];
                    continue;
                }
                void* landing = nullptr;
                open(cudaIpcOpenMemHandle(&landing, all[static_cast<std::size_t>(f.ranks[side])],
                                          cudaIpcMemLazyEnablePeerAccess));
                around[side] = static_cast<std::byte*>(landing);
            }
    }

    /// Offset of the landing buffer for a rank's plane along `axis` on `side`.
    std::size_t landing_offset(std::size_t axis, std::size_t side, std::size_t turn) const {
        return ((axis * sides + side) * turns + turn) * landing_bytes_;
    }
    std::size_t counts_offset() const { return most_axes * sides * turns * landing_bytes_; }
    counts* counts_in(std::byte* landing) const {
        return reinterpret_cast<counts*>(landing + counts_offset());
    }

    std::size_t landing_bytes_ = 0;  ///< bytes of a landing buffer, the same on all ranks
    std::byte* landing_ = nullptr;
    std::array<std::array<std::byte*, sides>, most_axes> neighbours_{};  ///< their landing buffers
    std::array<std::size_t, most_axes> turn_{};
};

}  // namespace

std::unique_ptr<carrier> make_peer(const halo_options& options) {
    return std::make_unique<peer_carrier>(options);
}

}  // namespace watari::comm
