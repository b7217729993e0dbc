// Path `nccl`: NCCL carries planes from GPU to GPU in stream order; the host waits for nothing.
//
// NCCL is loaded when asked for. The prototypes below are those of nccl.h 2, whose binary interface
// is stable: a build of Watari needs neither header nor library.
#include "watari/comm/carrier.hpp"
#include "watari/core/handle.hpp"

#include <dlfcn.h>

namespace watari::comm {

namespace {

struct ncclComm;
struct ncclUniqueId {
    char internal[128];
};
constexpr int nccl_float = 7;

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

library load() {
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
    static const library loaded = load();
    return loaded;
}

void destroy(ncclComm* comm) noexcept { nccl().destroy(comm); }

class nccl_carrier final : public carrier {
public:
    explicit nccl_carrier(const halo_options& options)
        : carrier(options), planes_(options, memory::kind::device) {
        options.ranks->together([] { nccl(); });
        ncclUniqueId id{};
        if (options.ranks->rank() == 0) nccl().check(nccl().get_id(&id));
        options.ranks->broadcast(id, 0);
        ncclComm* comm = nullptr;
        nccl().check(nccl().init_rank(&comm, options.ranks->size(), id, options.ranks->rank()));
        comm_ = handle<ncclComm*, destroy>(comm);
    }

    void exchange(const faces& f, float* field, stream_t stream) override {
        // other kinds of memory are not NCCL's: their planes go through GPU memory
        if (options_.field == memory::kind::device && f.contiguous()) {
            carry(f, {field + f.inner[0], field + f.inner[1]},
                  {field + f.outer[0], field + f.outer[1]}, stream);
            return;
        }
        pack(f, field, planes_.own, stream);
        carry(f, planes_.own, planes_.others, stream);
        unpack(f, field, planes_.others, stream);
    }

private:
    void carry(const faces& f, buffers own, buffers others, stream_t stream) const {
        const library& call = nccl();
        call.check(call.group_start());
        for (const int side : {0, 1}) {
            const int rank = f.ranks[side];
            if (rank == nobody) continue;
            call.check(call.send(own[side], f.points(), nccl_float, rank, comm_.get(), stream));
            call.check(
                call.receive(others[side], f.points(), nccl_float, rank, comm_.get(), stream));
        }
        call.check(call.group_end());
    }

    plane_buffers planes_;
    handle<ncclComm*, destroy> comm_;
};

}  // namespace

std::unique_ptr<carrier> make_nccl(const halo_options& options) {
    return std::make_unique<nccl_carrier>(options);
}

}  // namespace watari::comm
