/// The halo of a rank's box: copies of the neighbours' planes. Axes are exchanged one after
/// another, from the last to the first, so that edges and corners travel too.
///
/// staged: planes go through CPU memory and MPI. device: MPI gets the field's own pointer, or
/// packed planes in memory of the field's kind; GPU memory needs a CUDA-aware MPI. nccl: from GPU
/// to GPU by NCCL, in stream order. peer: each rank writes into its neighbour's GPU memory. With
/// any path, a rank that is its own neighbour copies within its memory.
#pragma once

#include "watari/comm/carrier.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace watari::comm {

enum class path { staged, device, nccl, peer };
inline constexpr path paths[] = {path::staged, path::device, path::nccl, path::peer};

/// The name of a path, and the path of a name. Throws usage_error.
std::string_view name_of(path which);
path path_named(const std::string& name);

/// All ranks construct and use it together.
class halo {
public:
    /// Sends a few points each way, so that connections exist before the first exchange. Throws
    /// refused (all ranks) if this processor or machine lacks the path.
    halo(path which, const halo_options& options);

    /// Fills the outer planes of the arrays that the message carries; see carrier::exchange for the
    /// order. Throws usage_error for a message of more bytes per point than the options say.
    void exchange(const message& m, stream_t stream);
    /// The same for arrays over the box, in one message.
    void exchange(std::span<const field> arrays, stream_t stream);
    template <class Element>
    void exchange(Element* array, stream_t stream) {
        const field one{array, sizeof(Element)};
        exchange(std::span(&one, 1), stream);
    }

    /// Exchanges other planes than those of the box: f has an axis of the box and its neighbours.
    void exchange(const faces& f, const message& m, stream_t stream);

    /// Whether the host itself sends: `seconds` then reports the time.
    bool by_host() const { return by_host_; }
    /// Seconds in MPI since the last call.
    double seconds();

    const decomposition& part() const { return options_.part; }

private:
    void warm_up();

    halo_options options_;
    bool by_host_;
    std::unique_ptr<carrier> carrier_;
    std::optional<face_buffers> own_;  ///< for axes along which the rank is its own neighbour
    double reported_ = 0;
};

}  // namespace watari::comm
