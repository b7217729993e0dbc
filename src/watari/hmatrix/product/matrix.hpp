/// y = A x with the matrix in memory, or streamed from its file through a budget of fast memory.
///
/// If the budget holds all batches, they are read once. Otherwise the batches that fit stay in
/// memory, spread evenly over the order. The others are read again in each product, ahead of their
/// use and across the end of a product: a product reads (1 - resident fraction) x size. The bits of
/// y do not depend on any of this (kernels.hpp). The pages of a batch are compared with their
/// checksums at its first use, or each time that it is read. A file that changed since it was
/// opened is refused at the next product.
#pragma once

#include "watari/hmatrix/product/forecast.hpp"
#include "watari/storage/stores/open_store.hpp"
#include "watari/storage/stores/ordered_reader.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace watari::hmatrix {

class matrix_product {
public:
    /// Throws file_error, usage_error, unsupported, beyond_memory; what reading throws.
    matrix_product(const matrix_paths& paths, const matrix_index& index,
                   const product_options& how);

    /// y_s = A x_s; vectors in the order of the tree, in memory of the processor. On a GPU it
    /// returns before it is done. Throws what reading throws, and file_error for a wrong checksum:
    /// y is then invalid.
    void apply(double* y, const double* x, std::size_t systems, stream_t stream = nullptr);

    /// y_s = R x_s, where R has the resident batches of A, and zeros elsewhere. Reads nothing.
    /// Throws usage_error before the first product.
    void apply_resident(double* y, const double* x, std::size_t systems, stream_t stream = nullptr);

    const product_forecast& ahead() const { return ahead_; }
    std::size_t products() const { return products_; }
    std::uint64_t bytes_read() const;  ///< from the store, so far
    double seconds_waited() const;     ///< for data, so far

private:
    void load(stream_t stream);
    void multiply_whole(double* y, const double* x, std::size_t systems, stream_t stream);
    void multiply(std::size_t number, const std::byte* data, double* y, const double* x,
                  std::size_t systems, stream_t stream);
    void verify(std::uint64_t offset, std::uint64_t bytes, const std::byte* data, stream_t stream);
    void require_unchanged() const;

    std::string path_;  ///< of the first file
    matrix_index index_;
    product_options how_;
    product_forecast ahead_;
    std::optional<product_plan> plan_;
    std::vector<batch> parts_;  ///< of the plan
    memory::buffer<double> scratch_;
    memory::buffer<std::uint64_t> sums_;
    std::optional<storage::open_store> store_;
    std::optional<memory::buffer<std::byte>> whole_;
    std::optional<storage::ordered_reader> reader_;
    std::optional<matrix_files> files_;  ///< none: memory, or another backend
    std::vector<files::file_state> states_;
    std::uint64_t read_before_ = 0;
    double waited_before_ = 0;
    std::size_t products_ = 0;
};

}  // namespace watari::hmatrix
