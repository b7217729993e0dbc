/// The matrices of case `gemm`, one behind the other in one file, in striped files or in memory,
/// made and verified element by element (operand.hpp). A file begins with a seal
/// (storage/files/test_data.hpp). Stripes are whole rows, or whole tiles of the tiled layout, so
/// that no request is in two files.
#pragma once

#include "operand.hpp"
#include "watari/files/descriptor.hpp"
#include "watari/gemm/schedule/placement.hpp"
#include "watari/memory/buffer.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace watari::gemm {

/// memory_file: a file in memory, for engines that read files; it is gone with the store.
enum class medium { memory, file, memory_file };

struct store_options {
    shape size{};
    precision type = precision::single_precision;
    std::size_t tile = 0;
    gemm::layout layout = layout::row_major;
    std::size_t most = most_block;  ///< see placement
    gemm::medium medium = gemm::medium::memory;
    std::vector<std::string> folders{};          ///< each has a file, in turn a stripe
    memory::kind kind = memory::kind::pageable;  ///< kind of memory; pageable is in huge pages
    bool oversubscribe = false;
};

class store {
public:
    static constexpr std::uint64_t seed = 1;  ///< always the same: a file is reused by its name

    /// Opens the file or makes it, for this store alone. Throws usage_error, system_error,
    /// beyond_memory, error if another run uses the file, file_error if it holds other data.
    explicit store(const store_options& wanted);

    const placement& where(matrix which) const { return where_[static_cast<int>(which)]; }
    const std::vector<std::string>& paths() const { return paths_; }  ///< none: in memory
    std::vector<int> descriptors() const;
    std::size_t stripe() const { return stripe_; }
    /// Folders that are on one device, "a and b"; empty if none are.
    std::string on_one_device() const;
    std::span<std::byte> memory() const;
    std::uint64_t bytes() const { return where(matrix::c).bytes(); }

    /// Writes C0 to C.
    void fill_c();
    /// Returns the number of wrong elements of C.
    std::size_t wrong_elements(double alpha, double beta) const;

private:
    /// visit(region, offset in the store, bytes, leading dimension) for parts that are contiguous.
    template <class Visit>
    void each_part(matrix which, const Visit& visit) const;
    /// Fills a matrix in all files, in file `number` alone, which is being made, or in memory.
    void fill(matrix which);
    void fill(matrix which, std::size_t number, int file);
    template <class Move>
    void each_piece(std::uint64_t offset, std::size_t bytes, const Move& move) const;

    store_options wanted_;
    operands data_;
    placement where_[3];
    void require_room_for(std::uint64_t bytes) const;
    void make_file(std::uint64_t bytes);

    std::size_t stripe_ = 0;
    std::vector<std::string> paths_;
    std::vector<files::descriptor> files_;
    std::optional<memory::buffer<std::byte>> memory_;
};

}  // namespace watari::gemm
