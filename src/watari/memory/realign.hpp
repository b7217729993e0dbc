/// Rows that direct I/O has brought in whole sectors, moved to where a BLAS wants them.
///
/// Reads of whole sectors bring a row of a matrix that begins anywhere in a sector together with
/// what is before it: row i begins skip(i) = (skip + i x skip_step) mod unit bytes behind data + i
/// x stride, and is moved there, in place. Bytes: each row is read and written once; rows with
/// skip(i) = 0 are left alone.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"
#include "watari/core/processor.hpp"

#include <cstddef>

namespace watari::memory {

struct skewed_rows {
    void* data = nullptr;       ///< a multiple of 4, as are all numbers of bytes here
    std::size_t count = 0;      ///< rows
    std::size_t bytes = 0;      ///< of a row
    std::size_t stride = 0;     ///< bytes from row to row, at least skip(i) + bytes
    std::size_t skip = 0;       ///< of row 0, bytes
    std::size_t skip_step = 0;  ///< bytes by which skip grows from row to row, modulo unit
    std::size_t unit = 1;       ///< bytes of a sector

    constexpr std::size_t skip_of(std::size_t i) const { return (skip + i * skip_step) % unit; }
};

/// The kernels of one backend.
struct realign_kernels {
    /// On a GPU it returns before it is done.
    void (*realign)(const skewed_rows& rows, stream_t stream);
    static const realign_kernels cpu, gpu;
};

}  // namespace watari::memory
