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
#pragma once

#include "../city/facets.hpp"
#include "../flow/simulation.hpp"
#include "../flow/survey.hpp"
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

    const exchanged_heat& heat() const { return heat_; }
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
    void pack(processor who, const motion<Real>& now, std::byte* data, stream_t stream) const;
    void look_at_planes(const motion<Real>& now);
    void take_profiles(const motion<Real>& now);

    const fields* fields_;
    const parameters* p_;
    reach by_;
    std::optional<facets> facets_;  ///< none if nothing is touched: the sky view takes seconds
    std::size_t top_;               ///< planes below the tallest roof, and one above
    exchanged_heat heat_{};
    std::vector<region> regions_;
    std::vector<Real> planes_;
    std::vector<profile> profiles_;
};

}  // namespace watari::les
