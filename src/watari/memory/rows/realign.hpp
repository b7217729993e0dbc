/// Moves rows that direct I/O has read in whole sectors to the addresses that a BLAS requires.
///
/// A row of a matrix may begin anywhere in a sector; reads of whole sectors then bring the bytes
/// before it, too. Row i begins skip(i) = (skip + i x skip_step) mod unit bytes behind data + i x
/// stride, and is moved to data + i x stride, in place. Bytes: each row is read and written once;
/// rows with skip(i) = 0 are left alone.
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
