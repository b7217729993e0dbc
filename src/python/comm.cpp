// Ranks for Python: the paths of a halo, and MPI's end.
#include "module.hpp"

#include "watari/comm/communicator.hpp"
#include "watari/comm/halo.hpp"

static void bind_comm(nb::module_& module) {
    using namespace watari;
    module.attr("HALOS") =
        list_of(comm::paths, [](comm::path path) { return as_text(comm::name_of(path)); });
    module.def(
        "end_ranks", comm::finish,
        "Waits for all ranks, and ends MPI where it was started: called by every rank of a trial "
        "that went well.");
    module.def("exchange_gpu_memory", comm::exchange_gpu_memory,
               "Gives GPU memory to MPI, between two ranks; raises where other data come. An MPI "
               "that does not know CUDA may crash.");
}

static const binding comm_bindings(bind_comm);
