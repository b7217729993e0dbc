/// The matrix of a trial in its file, or striped over files, and the device from which products
/// read it.
///
///     store       engines of files              queue, gpu
///     file        the files in the case's folders, which later trials use again
///     ram         a file in memory              memory
///     modelled:   a file in memory ...          memory with the times of SSDs (modelled_store.hpp)
#pragma once

#include "hmatrix.hpp"
#include "watari/hmatrix/build/build.hpp"
#include "watari/hmatrix/file/format.hpp"
#include "watari/hmatrix/product/forecast.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/storage/backends/disk_array.hpp"

#include <optional>
#include <span>
#include <string>

namespace watari::hmatrix {

class stored_matrix {
public:
    /// Builds the matrix, unless an earlier trial left it. Throws unsupported, before the build,
    /// for a store that the engine cannot read; usage_error, beyond_memory, file_error.
    stored_matrix(const surface& of, const case_parameters& p);
    stored_matrix(const stored_matrix&) = delete;
    ~stored_matrix();

    const matrix_paths& paths() const { return paths_; }
    /// Folders that are on one device, "a and b"; empty if none are.
    std::string on_one_device() const;
    /// The model of the SSDs behind the matrix; empty if none is.
    const std::string& notice() const { return notice_; }
    const matrix_index& index() const { return index_; }
    /// The counts of this trial's build; none if an earlier trial left the file.
    const std::optional<build_counts>& counts() const { return counts_; }
    std::span<std::byte> memory() const {
        return data_ ? std::span(data_->data(), data_->size()) : std::span<std::byte>();
    }

    /// Has a product read the matrix from its store. With a fault every read is compared with its
    /// checksums.
    void place(product_options& how);

private:
    bool is_there(const identity& wanted) const;
    void load();
    storage::modelled_disks disks() const;

    const case_parameters& given_;
    matrix_paths paths_;
    std::string notice_;
    std::optional<build_counts> counts_;
    matrix_index index_;
    std::optional<memory::buffer<std::byte>> data_;
};

}  // namespace watari::hmatrix
