/// Products with an H-matrix that need not fit fast memory: a sample is one product with all
/// right-hand sides. After the samples the system is solved.
///
/// Bytes of a sample: those of the matrix's batches, which a product moves through the processor
/// whether they come from the store or stay in fast memory. The batches that do not stay are read
/// from the store (quantity read_bytes).
#pragma once

#include "watari/core/members.hpp"
#include "watari/hmatrix/build/build.hpp"
#include "watari/hmatrix/solve.hpp"
#include "watari/measure/trial.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace watari::hmatrix {

inline constexpr word<bool> stored_precisions[] = {{"double", false}, {"single", true}};
inline constexpr word<bool> preconditioners[] = {{"block-jacobi", true}, {"none", false}};
inline constexpr word<method> solvers[] = {
    {"bicgstab", method::bicgstab}, {"gmres", method::gmres}, {"fgmres", method::fgmres}};

inline constexpr std::tuple build_members{
    member{"eps", &build_options::eps},
    member{"eta", &build_options::eta},
    member{"recompress", &build_options::recompress},
    member{"precision", &build_options::single, stored_precisions},
    member{"build_threads", &build_options::threads},
    member{"processor", &build_options::who},
};
inline constexpr std::tuple product_members{
    member{"processor", &product_options::who},
    member{"rhs", &product_options::systems},
    member{"engine", &product_options::engine},
    member{"batch", &product_options::batch_bytes},
    member{"threads", &product_options::readers},
    member{"depth", &product_options::depth},
    member{"pinned", &product_options::pinned},
    // a checksum of each read takes longer than a product on the CPU, but less time than a disk
    member{"verify", &product_options::verify_always},
};
inline constexpr std::tuple solve_members{
    nested{&solve_options::product, product_members},
    member{"fast-memory", &solve_options::fast_memory},
    member{"solver", &solve_options::by, solvers},
    member{"preconditioner", &solve_options::jacobi, preconditioners},
    member{"tolerance", &solve_options::tolerance},
    member{"iterations", &solve_options::iterations},
    member{"inner", &solve_options::inner},
    member{"restart", &solve_options::restart},
};

struct case_parameters {
    build_options build{};
    solve_options solve{};
    std::string store = "file";  ///< or ram, modelled:<SSD>: stored_matrix.hpp
    std::vector<double> ssd{};   ///< rows of the measured model in `store`
    std::size_t files = 1;       ///< modelled SSDs, over which the matrix is striped
    /// Each has a file, in turn a stripe of the matrix, which later trials use again.
    std::vector<std::string> folders{};
    std::uint64_t expected_bytes = 0;  ///< of the matrix, about: the disk must have as many
    std::string fault = "none";        ///< of the device behind queue and gpu (storage/faulty.hpp)
    std::size_t samples = 1;
    std::size_t steps = 0;  ///< iterations after which the solver stops; 0: at its tolerance
    std::size_t ranks = 1;  ///< each with rows, a file and a budget of its own

    static constexpr std::tuple members{
        nested{&case_parameters::build, build_members},
        nested{&case_parameters::solve, solve_members},
        member{"store", &case_parameters::store},
        member{"ssd", &case_parameters::ssd},
        member{"files", &case_parameters::files},
        member{"folders", &case_parameters::folders},
        member{"expected_bytes", &case_parameters::expected_bytes},
        member{"fault", &case_parameters::fault},
        member{"samples", &case_parameters::samples},
        member{"steps", &case_parameters::steps},
        member{"ranks", &case_parameters::ranks},
    };
};

/// Runs one trial; with several ranks, all ranks call it. Throws usage_error, unsupported,
/// beyond_memory, file_error, system_error.
measure::trial run(const surface& of, const case_parameters& p);

}  // namespace watari::hmatrix
