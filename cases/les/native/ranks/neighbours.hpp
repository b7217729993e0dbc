/// The exchanges between ranks: halos of each level; coarse levels that every rank has whole;
/// partial sums of the columns, which each rank adds up in the same order.
///
/// All exchanges use the path of the halo: where this path works in stream order, no host waits.
#pragma once

#include "../les.hpp"
#include "watari/comm/communicator.hpp"
#include "watari/comm/halo.hpp"
#include "watari/core/device.hpp"

#include <cstddef>
#include <deque>
#include <initializer_list>
#include <optional>
#include <vector>

namespace watari::les {

class neighbours {
public:
    neighbours(const comm::communicator& all, const parameters& own, memory::kind field);

    /// Exchanges `rows` rows and `cells` cells of a row of the halos of arrays over a level, in one
    /// message per axis and side.
    void exchange(std::size_t level, std::initializer_list<void*> arrays, std::size_t element,
                  stream_t stream, std::size_t rows = 1, std::size_t cells = 1);
    /// Gathers an array over a level that every rank has whole: each rank has written its own part,
    /// and gets the others.
    void gather(std::size_t level, void* array, std::size_t element, stream_t stream);
    /// Gathers sets of sums of the columns; each set is in the order of the whole grid.
    void gather_columns(double* columns, std::size_t sets, stream_t stream);

    const comm::communicator& ranks() const { return *all_; }
    /// Returns the seconds of the host in MPI since the last call.
    double seconds();

    /// Sets whether exchanges are timed from now on.
    void watch(bool now) { watched_ = now; }
    /// Returns the seconds of the timed exchanges since the last call, by the processor's clock,
    /// including waits for other ranks. A GPU must be done.
    double exchanged();

private:
    /// The layout of an array in parts: elements between rows, between planes, and before the first
    /// cell.
    struct layout {
        extents size;
        std::size_t row, plane, first;
    };
    void gather(const layout& of, void* array, std::size_t element, stream_t stream);
    template <class Work>
    void timed(const Work& work, stream_t stream);

    const comm::communicator* all_;
    processor who_;
    extents whole_, split_, place_;  ///< place_: position of this rank's part in the split
    comm::decomposition ring_;
    std::vector<grid> grids_;  ///< of the levels
    std::deque<comm::halo> halos_;
    std::optional<comm::halo> parts_;
    bool watched_ = false;
    double exchanged_ = 0;
    std::deque<device::event> marks_;  ///< begin and end of each timed exchange
    std::size_t marked_ = 0;
};

}  // namespace watari::les
