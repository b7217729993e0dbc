/// What ranks exchange: halos, a level of each size its own; coarse levels that every rank has
/// whole; partial sums of the columns, so that each adds up all of them in the same order.
///
/// All of it goes by the path of the halo: where that works in stream order, no host waits.
#pragma once

#include "watari/cases/les/les.hpp"
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

    /// The halos of arrays over a level, so many rows, in one message an axis and side.
    void exchange(std::size_t level, std::initializer_list<void*> arrays, std::size_t element,
                  stream_t stream, std::size_t rows = 1);
    /// All parts of an array over a level that every rank has whole, of which each has written its
    /// own.
    void gather(std::size_t level, void* array, std::size_t element, stream_t stream);
    /// The same of sets of sums of the columns, each in the order of the whole grid.
    void gather_columns(double* columns, std::size_t sets, stream_t stream);

    const comm::communicator& ranks() const { return *all_; }
    /// Seconds of the host in MPI since the last call.
    double seconds();

    /// Whether exchanges are timed from now on.
    void watch(bool now) { watched_ = now; }
    /// Seconds from the begin to the end of each since the last call, of the processor's own time:
    /// of the waits for other ranks too. A GPU must be done.
    double exchanged();

private:
    /// An array in parts: elements from one row and plane to the next, and before the first.
    struct layout {
        extents size;
        std::size_t row, plane, first;
    };
    void gather(const layout& of, void* array, std::size_t element, stream_t stream);
    template <class Work>
    void timed(const Work& work, stream_t stream);

    const comm::communicator* all_;
    processor who_;
    extents whole_, split_, place_;  ///< place_: of this rank's part among those of the split
    comm::decomposition ring_;
    std::vector<grid> grids_;  ///< of the levels
    std::deque<comm::halo> halos_;
    std::optional<comm::halo> parts_;
    bool watched_ = false;
    double exchanged_ = 0;
    std::deque<device::event> marks_;  ///< begin and end of each that was timed
    std::size_t marked_ = 0;
};

}  // namespace watari::les
