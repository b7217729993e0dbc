/// The work of the CPU every N steps: it warms the city, reads planes, or reads all fields.
///
/// Each row of the table includes those above it. Bytes in fp32 of 512x512x128 cells:
///
///     none     nothing: fluxes stay as they are                                    0
///     facets   theta and speed of each facet's cell; writes its flux     6.3 MB packed
///     planes   u v w theta of one horizontal and one x-z plane                 5.2 MB
///     all      u v w theta: sums of them and of products by height             537 MB
///
/// gather=gpu: a kernel packs two numbers per facet. gather=cpu: the CPU reads the two numbers from
/// the fields, up to the tallest roof. Both give the same bits.
///
/// With trees and radiation a touch also reads the air of each cell with leaves, and writes what
/// they give (foliage.hpp): 8 bytes a cell each way in fp32.
#pragma once

#include "../city/facets.hpp"
#include "../flow/simulation.hpp"
#include "../flow/survey.hpp"
#include "../radiation/foliage.hpp"
#include "reach.hpp"

#include <optional>
#include <vector>

namespace watari::les {

/// Seconds of one touch.
struct touch_times {
    double gather = 0, move = 0, cpu = 0;
    double radiation = 0;  ///< a part of cpu
};

template <class Real>
class touch {
public:
    touch(const fields& f, const parameters& p, const reach& by);

    /// Runs one touch. The processor must be done before; it may start the next step after.
    touch_times operator()(const motion<Real>& now, stream_t stream);
    /// Makes the facets steady in this air and light, before the first step.
    void settle(const motion<Real>& now, stream_t stream);

    const exchanged_heat& heat() const { return heat_; }
    /// Returns the warming of the air by this part's facets and leaves since the last touch, K/s
    /// times cells; counted only if there is mist, for its budgets.
    double warming() const { return warming_ + foliage_.warming(); }
    /// Returns what the leaves' vapour adds to the air in each step, kg/kg times cells.
    double vapour() const { return foliage_.vapour(); }
    const leaf_budget& leaves() const { return foliage_.budget(); }
    /// The radiation between facets; null if there is none.
    const radiosity* exchange() const { return facets_ ? facets_->exchange() : nullptr; }
    /// Returns the horizontal plane and the x-z plane of u, of v, of w, of theta; empty if the CPU
    /// reads no planes.
    const std::vector<Real>& planes() const { return planes_; }
    const std::vector<profile>& profiles() const { return profiles_; }

private:
    /// Returns rows of array n, at `data` for the processor, as both memories have them.
    region rows_of(unsigned n, std::byte* data, std::size_t first, std::size_t bytes,
                   std::size_t rows = 1, std::size_t stride = 0) const;
    const std::vector<region>& regions(const motion<Real>& now);
    motion<Real> on_cpu(const motion<Real>& now) const;
    void count_warming(const Real* flux);
    void pack(processor who, const motion<Real>& now, std::byte* data,
              const leaf_arrays<Real>& leaves, stream_t stream) const;
    touch_times run(const motion<Real>& now, stream_t stream, int times, double seconds);
    void exchange_heat(touch_times& took, int times, double seconds);
    void choose_exchanged();
    void look_at_planes(const motion<Real>& now);
    void take_profiles(const motion<Real>& now);

    const fields* fields_;
    const parameters* p_;
    reach by_;
    leaf_arrays<Real> leaves_, leaves_on_cpu_;  ///< none unless they transpire
    foliage foliage_;
    std::optional<facets> facets_;  ///< none if nothing is touched: the sky view takes seconds
    std::size_t top_;               ///< planes below the tallest roof, and one above
    exchanged_heat heat_{};
    double warming_ = 0;
    std::byte* facets_on_cpu_ = nullptr;  ///< the facets' array for the CPU
    std::vector<region> regions_, down_, up_;
    std::vector<Real> planes_;
    std::vector<profile> profiles_;
};

}  // namespace watari::les
