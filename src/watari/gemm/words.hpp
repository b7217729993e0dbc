/// Words of options, as Python passes them.
#pragma once

#include "watari/core/members.hpp"
#include "watari/gemm/options.hpp"
#include "watari/gemm/schedule/placement.hpp"

namespace watari::gemm {

inline constexpr word<gemm::layout> layout_words[] = {{"row-major", layout::row_major},
                                                      {"tiled", layout::tiled}};
inline constexpr word<precision> precision_words[] = {{"single", precision::single_precision},
                                                      {"double", precision::double_precision}};

}  // namespace watari::gemm
