/// Rows of bytes, copied by the threads of either processor between memories that it addresses.
/// Bytes: each row is read and written once.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/processor.hpp"

#include <cstddef>

namespace watari::gemm {

struct rows {
    std::byte* data;
    std::size_t stride;  ///< bytes from one to the next
};

/// The kernels of one backend. Addresses, strides and bytes are multiples of 4.
struct row_kernels {
    /// On a GPU it returns before it is done.
    void (*copy)(const rows& to, const rows& from, std::size_t count, std::size_t bytes,
                 stream_t stream);
};

/// The kernels of the backend that a processor runs. Throws unsupported.
const row_kernels& rows_on(processor who);

}  // namespace watari::gemm

namespace watari::cpu {
extern const gemm::row_kernels row_table;
}
namespace watari::gpu {
extern const gemm::row_kernels row_table;
}
