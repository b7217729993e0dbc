/// Matrix product larger than fast memory: C = alpha A B + beta C with the matrices in a store, by
/// tiles that stream through a budget of fast memory (GPU memory; on a CPU machine RAM).
///
/// Flops: 2 m n k. Bytes: those of the tiles that the schedule reads, and C once (schedule.hpp).
/// Any order moves at least about 2 m n k / sqrt(elements of fast memory) elements.
///
/// Read next: options.hpp (options), schedule.hpp (order of the tiles), placement.hpp (position of
/// a tile), pipeline.hpp (reading, multiplying and writing); product.hpp (a user's own .npy files);
/// store.hpp (test data).
#pragma once

#include "watari/core/members.hpp"
#include "watari/gemm/foresight.hpp"
#include "watari/gemm/options.hpp"
#include "watari/gemm/words.hpp"
#include "watari/measure/trial.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace watari::gemm {

inline constexpr word<schedule_kind> schedule_words[] = {{"reuse", schedule_kind::reuse},
                                                         {"naive", schedule_kind::naive}};

struct parameters : options {
    shape size{};
    gemm::layout layout = layout::row_major;
    /// file; ram, which is a file in memory to engines that read files; modelled:<SSD>, the same
    /// with the times of SSDs (storage/stores/modelled_store.hpp)
    std::string store;
    std::vector<double> ssd{};           ///< rows of the measured model in `store`
    std::size_t files = 1;               ///< modelled SSDs, over which the store is striped
    std::vector<std::string> folders{};  ///< each has a file, in turn a stripe
    std::size_t samples = 1;
    /// Block rows of C that are computed, the first ones, by schedule naive; 0: all. The other rows
    /// of A and C are neither stored nor read. All block rows take the same reads and products.
    std::size_t rows = 0;
    bool oversubscribe = false;

    static constexpr std::tuple shape_members{member{"m", &shape::m}, member{"n", &shape::n},
                                              member{"k", &shape::k}};
    static constexpr std::tuple members{
        nested{&parameters::size, shape_members},
        member{"engine", &parameters::engine},
        member{"processor", &parameters::processor},
        member{"tile", &parameters::tile},
        member{"schedule", &parameters::schedule, schedule_words},
        member{"precision", &parameters::type, precision_words},
        member{"fast-memory", &parameters::fast_memory},
        member{"alpha", &parameters::alpha},
        member{"beta", &parameters::beta},
        member{"threads", &parameters::threads},
        member{"depth", &parameters::depth},
        member{"layout", &parameters::layout, layout_words},
        member{"store", &parameters::store},
        member{"ssd", &parameters::ssd},
        member{"files", &parameters::files},
        member{"folders", &parameters::folders},
        member{"samples", &parameters::samples},
        member{"rows", &parameters::rows},
        member{"oversubscribe", &parameters::oversubscribe},
    };
};

/// Returns the forecast of a trial; reads and makes nothing. Throws usage_error, unsupported.
foresight plan(const parameters& p);

/// One trial; a sample is a whole product. Throws unsupported, usage_error, beyond_memory,
/// system_error.
measure::trial run(const parameters& p);

}  // namespace watari::gemm
