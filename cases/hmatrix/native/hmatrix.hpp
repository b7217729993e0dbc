/// Products with an H-matrix that need not fit fast memory: a sample is one product with all
/// right-hand sides. After the samples the system is solved.
///
/// Bytes of a sample: those of the matrix's batches, which a product moves through the processor
/// whether they come from the store or stay in fast memory. The batches that do not stay are read
/// from the store (quantity read_bytes).
#pragma once

#include "watari/hmatrix/build/build.hpp"
#include "watari/hmatrix/solve.hpp"
#include "watari/measure/trial.hpp"

#include <string>

namespace watari::hmatrix {

struct case_parameters {
    build_options build{};
    solve_options solve{};
    std::string store = "file";  ///< or ram: memory, or for engines of files a file in memory
    std::string folder{};        ///< of the matrix's file, which later trials use again
    std::string fault = "none";  ///< of the device behind queue and gpu (storage/faulty.hpp)
    std::size_t samples = 1;
    std::size_t ranks = 1;  ///< each with rows, a file and a budget of its own
};

/// Runs one trial; with several ranks, all ranks call it. Throws usage_error, unsupported,
/// beyond_memory, file_error, system_error.
measure::trial run(const surface& of, const case_parameters& p);

}  // namespace watari::hmatrix
