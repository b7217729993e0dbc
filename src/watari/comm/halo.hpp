/// The halo of a rank's box: copies of the neighbours' planes, exchanged along k, then j, then i,
/// each before the next, so that edges travel too.
///
/// staged: planes go through CPU memory and MPI. device: MPI is given the field's own pointer, or
/// packed planes in memory of the field's kind; GPU memory needs an MPI that knows CUDA. nccl: from
/// GPU to GPU by NCCL, in stream order. peer: each rank writes into its neighbour's GPU memory.
#pragma once

#include "watari/comm/carrier.hpp"

#include <string>
#include <string_view>

namespace watari::comm {

enum class path { staged, device, nccl, peer };

/// The name of a path, and the path of a name. Throws usage_error.
std::string_view name_of(path which);
path path_named(const std::string& name);

/// Made and used by all ranks alike.
class halo {
public:
    /// Sends a few points in each direction, so that the first exchange finds connections made.
    /// Throws refused (all ranks) for a path that this processor or machine does not have.
    halo(path which, const halo_options& options);

    /// Fills the outer planes of a field; see carrier::exchange for the order.
    void exchange(float* field, stream_t stream);

    /// Whether the host itself sends, so that `seconds` is the time of that.
    bool by_host() const { return by_host_; }
    /// Seconds in MPI since the last call.
    double seconds();

    const decomposition& part() const { return part_; }

private:
    void warm_up(const halo_options& options);

    decomposition part_;
    bool by_host_;
    std::unique_ptr<carrier> carrier_;
    double reported_ = 0;
};

}  // namespace watari::comm
