/// Vectors that each kernel reads and writes, once each. A vector is length x systems elements.
///
/// Not counted: scalars, and partial sums (8 bytes a value and piece: 1/256 of a vector of
/// doubles).
#pragma once

#include <cstddef>

namespace watari::krylov {

struct traffic {
    std::size_t reads, writes;

    constexpr std::size_t vectors() const { return reads + writes; }
    constexpr std::size_t bytes(std::size_t vector_bytes) const { return vectors() * vector_bytes; }
    friend constexpr traffic operator+(traffic a, traffic b) {
        return {a.reads + b.reads, a.writes + b.writes};
    }
};

inline constexpr traffic dots_traffic{2, 0};           ///< <u,v>, |v|^2
inline constexpr traffic dots_of_three_traffic{3, 0};  ///< also <w,v>, <w,u>

inline constexpr traffic cg_update_traffic{4, 2};     ///< x += alpha p; r -= alpha q; |r|^2
inline constexpr traffic cg_direction_traffic{2, 1};  ///< p = z + beta p

inline constexpr traffic bicgstab_half_traffic{2, 1};  ///< r -= alpha q; |r|^2
/// x += alpha p + omega r; r -= omega t; p = r + beta (p - omega q); |r|^2. With a preconditioner
/// the kernel also reads M^-1 p and M^-1 r.
inline constexpr traffic bicgstab_full_traffic{5, 3};

/// One pass of Gram-Schmidt over j vectors: h = V* w; then w -= V h; |w|^2.
constexpr traffic gmres_project_traffic(std::size_t j) { return {j + 1, 0}; }
constexpr traffic gmres_subtract_traffic(std::size_t j) { return {j + 1, 1}; }
inline constexpr traffic gmres_normalise_traffic{1, 1};

/// Vectors of a step, without those that A reads and writes. An operator with apply_and_sum already
/// has its input and its output: for the sums it reads only r~, in both products.
constexpr traffic bicgstab_step_traffic(bool summed_by_operator) {
    const traffic sums = summed_by_operator ? traffic{2, 0} : dots_traffic + dots_of_three_traffic;
    return sums + bicgstab_half_traffic + bicgstab_full_traffic;
}
/// Vectors of the iteration that adds vector number j + 1: 4 j + 12.
constexpr traffic gmres_step_traffic(std::size_t j) {
    const traffic pass = gmres_project_traffic(j + 1) + gmres_subtract_traffic(j + 1);
    return pass + pass + gmres_normalise_traffic;
}

}  // namespace watari::krylov
