/// Radiation between the facets of a city, by radiosity: what leaves a facet, B, of long waves and
/// of light together.
///
///     long waves   B = eps sigma T^4 + (1 - eps) (sky L_sky + F B)
///     light        B = albedo (direct S + sky S_diffuse + F B)
///
/// At first, and if the residual is above 1e-4 or energy is out of balance, BiCGStab solves both to
/// 1e-7 (krylov/). Otherwise five Jacobi sweeps begin with the last B: temperatures change little
/// between touches. Light is
/// swept along, since its second vector adds little to the bytes of the matrix.
///
/// On a GPU the sweeps and the solver run there: 4 bytes a facet go up, 16 come back. The same bits
/// as on the CPU.
///
/// Cells with leaves are surfaces that reflect nothing, at the temperature of their air
/// (canopy.hpp).
///
/// Rows of the matrix and of the vectors are in an order of their own (row_order.hpp); what callers
/// give and get is by the number of the facet.
///
/// Bytes of an update: those of five products (products.hpp), and 76 a facet for what it emits and
/// receives.
#pragma once

#include "../les.hpp"
#include "products.hpp"
#include "view_file.hpp"
#include "watari/krylov/workspace.hpp"
#include "watari/memory/buffer.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace watari::les {

inline constexpr int jacobi_sweeps = 5;
inline constexpr double solve_above = 1e-4, solve_to = 1e-7;
/// Above it the solver runs, too. About ten times the largest that the solver left: 4.4e-7, with an
/// albedo of 0.95 and an emissivity of 0.1.
inline constexpr double most_imbalance = 5e-6;

/// What radiation left at most over the updates of a trial.
struct radiation_account {
    double residual = 0;   ///< of B, before the last sweep, over what facets emit
    double imbalance = 0;  ///< emitted + sky - absorbed - to the sky, over the first two
    int solved = 0;        ///< updates that needed BiCGStab
};

class radiosity {
public:
    /// Reads or traces the view factors.
    explicit radiosity(const parameters& p);
    /// With these view factors.
    radiosity(const parameters& p, const facet_list& facets, view_factors views);

    /// Computes what facets and leaves receive, from the temperature of each; `leaves`: those
    /// behind the facets.
    void update(const float* temperature, std::span<const float> leaves = {});

    const float* heat() const { return heat_.data(); }    ///< W/m2, of each facet, then of leaves
    const float* light() const { return light_.data(); }  ///< W/m2
    const std::vector<float>& area() const { return area_; }  ///< m2
    /// What leaves a facet or a cell with leaves: long waves and light, W/m2.
    std::array<double, 2> sent(std::size_t n) const;
    float temperature(std::size_t n) const {
        return temperature_[row_[n]];
    }                                                ///< K, of the last update
    double sunlight() const { return sun_; }         ///< W/m2 of the beam; 0 at night
    double sky_light() const { return sky_light_; }  ///< W/m2 of the sky
    bool begun() const { return begun_; }
    const std::vector<float>& sky() const { return sky_; }
    const std::vector<float>& direct() const { return direct_; }
    const radiation_account& account() const { return account_; }
    std::size_t nonzeros() const { return nonzeros_; }
    double view_seconds() const { return view_seconds_; }
    bool from_file() const { return from_file_; }
    const std::string& note() const {
        return note_;
    }  ///< why no file was written; empty if one was

private:
    struct sums;
    template <class Element>
    Element* take(memory::kind kind, std::size_t count);
    template <class Element>
    const Element* there(const Element* data, std::size_t count);
    void lay_out(const parameters& p, const facet_list& facets);
    void solve();
    void last_sweep();
    void receive();
    sums receive(std::size_t first, std::size_t last);

    processor who_;
    memory::kind kind_, host_;           ///< of the processor's arrays, of those that both reach
    std::optional<view_factors> views_;  ///< none once a GPU has them
    std::vector<float> area_, sky_, direct_, heat_, light_;
    std::vector<float> reflected_;           ///< by row
    std::vector<std::uint32_t> node_, row_;  ///< of a row; of a node
    std::vector<std::uint32_t> parts_;       ///< rows with about as many non-zeros each
    std::vector<memory::block> held_;
    view_matrix matrix_{};
    const float* sky_there_ = nullptr;
    double *emitted_ = nullptr, *now_ = nullptr, *next_ = nullptr;
    float *temperature_ = nullptr, *temperature_there_ = nullptr;
    float *received_ = nullptr,
          *received_there_ = nullptr;  ///< of both waves, then the change of B
    std::optional<krylov::workspace> workspace_;
    double sun_ = 0, sky_light_ = 0;  ///< W/m2 of light, 0 at night
    bool begun_ = false;
    std::size_t nonzeros_ = 0;
    double residual_ = 0, imbalance_ = 0;  ///< of the last update
    double view_seconds_ = 0;
    bool from_file_ = false;
    std::string note_;
    radiation_account account_;
};

/// Records the account of a trial; above the bounds the trial is wrong.
void record(measure::trial& into, const radiosity& of);

}  // namespace watari::les
