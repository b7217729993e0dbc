// Path `nccl`: NCCL carries planes from GPU to GPU in stream order; the host waits for nothing.
//
// NCCL is loaded on demand. The prototypes below are those of nccl.h 2, whose binary interface is
// stable: a build of Watari needs neither header nor library.
#include "watari/comm/carrier.hpp"

#include <dlfcn.h>

#include <memory>

namespace watari::comm {

namespace {

struct ncclComm;
struct ncclUniqueId {
    char internal[128];
};
constexpr int nccl_char = 0;

struct library {
    int (*get_id)(ncclUniqueId*);
    int (*init_rank)(ncclComm**, int, ncclUniqueId, int);
    int (*destroy)(ncclComm*);
    int (*group_start)();
    int (*group_end)();
    int (*send)(const void*, std::size_t, int, int, ncclComm*, stream_t);
    int (*receive)(void*, std::size_t, int, int, ncclComm*, stream_t);
    const char* (*text)(int);

    void check(int status) const {
        if (status != 0) throw gpu_error(std::string("NCCL: ") + text(status));
    }
};

template <class Function>
void find(void* handle, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    if (function == nullptr) throw unsupported(std::string("libnccl.so.2 has no ") + name);
}

library load_nccl() {
    void* handle = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);  // never closed: it has threads
    if (handle == nullptr)
        throw unsupported(
            std::string("halo=nccl needs NCCL: the package libnccl2, or the folder of "
                        "nvidia-nccl's libnccl.so.2 in LD_LIBRARY_PATH [") +
            dlerror() + "]");
    library result{};
    find(handle, "ncclGetUniqueId", result.get_id);
    find(handle, "ncclCommInitRank", result.init_rank);
    find(handle, "ncclCommDestroy", result.destroy);
    find(handle, "ncclGroupStart", result.group_start);
    find(handle, "ncclGroupEnd", result.group_end);
    find(handle, "ncclSend", result.send);
    find(handle, "ncclRecv", result.receive);
    find(handle, "ncclGetErrorString", result.text);
    return result;
}

const library& nccl() {
    static const library loaded = load_nccl();
    return loaded;
}

/// The NCCL communicator of all ranks, shared by all halos that exist at a time.
std::shared_ptr<ncclComm> connect(const communicator& ranks) {
    static std::weak_ptr<ncclComm> connected;
    if (auto there = connected.lock()) return there;
    ncclUniqueId id{};
    if (ranks.rank() == 0) nccl().check(nccl().get_id(&id));
    ranks.broadcast(id, 0);
    ncclComm* made = nullptr;
    nccl().check(nccl().init_rank(&made, ranks.size(), id, ranks.rank()));
    std::shared_ptr<ncclComm> result(made, [](ncclComm* comm) { nccl().destroy(comm); });
    connected = result;
    return result;
}

class nccl_carrier final : public carrier {
public:
    explicit nccl_carrier(const halo_options& options)
        : carrier(options), buffers_(options, memory::kind::device) {
        options.ranks->together([] { nccl(); });
        comm_ = connect(*options.ranks);
    }

    void exchange(const faces& f, const message& m, stream_t stream) override {
        // planes of a field in other kinds of memory go through buffers in GPU memory
        const field whole = options_.field == memory::kind::device ? m.in_place(f) : field{};
        if (whole.data != nullptr) {
            const ends_in_place ends(f, whole);
            return carry(f, ends.own, ends.others, m.bytes(f), stream);
        }
        m.pack(f, buffers_.own, stream);
        carry(f, buffers_.own, buffers_.others, m.bytes(f), stream);
        m.unpack(f, buffers_.others, stream);
    }

private:
    /// NCCL matches messages between two ranks in order: the message that one rank sends first, by
    /// its lower side, is the one that the other receives first, by its upper side.
    void carry(const faces& f, ends own, ends others, std::size_t bytes, stream_t stream) const {
        const library& call = nccl();
        call.check(call.group_start());
        for (const int side : {0, 1}) {
            const int to = f.ranks[side], from = f.ranks[1 - side];
            if (to != nobody)
                call.check(call.send(own[side], bytes, nccl_char, to, comm_.get(), stream));
            if (from != nobody)
                call.check(
                    call.receive(others[1 - side], bytes, nccl_char, from, comm_.get(), stream));
        }
        call.check(call.group_end());
    }

    face_buffers buffers_;
    std::shared_ptr<ncclComm> comm_;
};

}  // namespace

std::unique_ptr<carrier> make_nccl(const halo_options& options) {
    return std::make_unique<nccl_carrier>(options);
}

}  // namespace watari::comm
