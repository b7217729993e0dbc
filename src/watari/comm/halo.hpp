/// The halo of a rank's box: copies of the neighbours' planes, exchanged along the last axis first
/// and the first axis last, each before the next, so that edges and corners travel too.
///
/// staged: planes go through CPU memory and MPI. device: MPI is given the field's own pointer, or
/// packed planes in memory of the field's kind; GPU memory needs an MPI that knows CUDA. nccl: from
/// GPU to GPU by NCCL, in stream order. peer: each rank writes into its neighbour's GPU memory.
/// Whatever the path, a rank that is its own neighbour copies within its memory.
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

/// Made and used by all ranks alike.
class halo {
public:
    /// Sends a few points each way, so that the first exchange finds connections made. Throws
    /// refused (all ranks) for a path that this processor or machine does not have.
    halo(path which, const halo_options& options);

    /// Fills the outer planes of what the message carries; see carrier::exchange for the order.
    /// Throws usage_error for a message of more bytes a point than the options say.
    void exchange(const message& m, stream_t stream);
    /// The same of arrays over the box, in one message.
    void exchange(std::span<const field> arrays, stream_t stream);
    template <class Element>
    void exchange(Element* array, stream_t stream) {
        const field one{array, sizeof(Element)};
        exchange(std::span(&one, 1), stream);
    }

    /// Sends and fills other planes than those of the box: f has an axis of the box and its
    /// neighbours.
    void exchange(const faces& f, const message& m, stream_t stream);

    /// Whether the host itself sends, so that `seconds` reports how long that takes.
    bool by_host() const { return by_host_; }
    /// Seconds in MPI since the last call.
    double seconds();

    const decomposition& part() const { return options_.part; }

private:
    void warm_up();

    halo_options options_;
    bool by_host_;
    std::unique_ptr<carrier> carrier_;
    std::optional<face_buffers> own_;  ///< of axes along which the rank is its own neighbour
    double reported_ = 0;
};

}  // namespace watari::comm
