/// What ranks exchange: halos, a level of each size its own; coarse levels that every rank has
/// whole; partial sums of the columns, so that each adds up all of them in the same order.
#pragma once

#include "watari/cases/les/les.hpp"
#include "watari/comm/communicator.hpp"
#include "watari/comm/halo.hpp"
#include "watari/core/device.hpp"

#include <cstddef>
#include <deque>
#include <initializer_list>
#include <vector>

namespace watari::les {

class neighbours {
public:
    neighbours(const comm::communicator& all, const parameters& own, memory::kind field);

    /// The halos of arrays over a level, in one message an axis and side.
    void exchange(std::size_t level, std::initializer_list<void*> arrays, std::size_t element,
                  stream_t stream);
    /// All parts of an array over a level that every rank has whole, of which each has written its
    /// own.
    void gather(std::size_t level, void* array, std::size_t element, stream_t stream);
    /// Sums of this rank's columns become those of all, in the order of the whole grid.
    void gather_columns(double* columns, stream_t stream);

    const comm::communicator& ranks() const { return *all_; }
    /// Seconds on the host since the last call.
    double seconds();

private:
    void read(void* to, const void* from, std::size_t bytes, stream_t stream) const;
    void write(void* to, const void* from, std::size_t bytes, stream_t stream) const;

    const comm::communicator* all_;
    processor who_;
    extents whole_, split_;
    std::vector<extents> level_wholes_;
    std::deque<comm::halo> halos_;
    std::vector<std::byte> own_, gathered_, ordered_;
    double seconds_ = 0;
};

}  // namespace watari::les
