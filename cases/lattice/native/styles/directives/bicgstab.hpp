/// BiCGStab for the directive styles, over the kernels of one model (acc_kernels.hpp,
/// omp_kernels.hpp).
///
/// A step, and the vectors that it moves besides applications of D, 16:
///
///     q = D p;  alpha = rho / <b,q>                                             2
///     r -= alpha q; |r|^2                                                       3
///     t = D r;  omega = <t,r> / |t|^2;  rho' = <b,r> - omega <b,t>              3
///     beta = (rho' / rho)(alpha / omega)
///     x += alpha p + omega r;  r -= omega t; |r|^2;  p = r + beta (p - omega q) 8
///
/// The algorithm is that of krylov/bicgstab.hpp, with r~ = b.
#pragma once

#include "site.hpp"

#include <array>
#include <cmath>

namespace watari::lattice::directive {

/// Pointers that are valid where the kernels run.
struct vectors {
    const number *links, *clover, *b;
    number *x, *p, *q, *r, *t, *odd, *sent, *arrived;
};

// A sum has one part per warp that runs at once: 32 on each of an H200's 132 multiprocessors.
inline constexpr unsigned warps = 4224, most_sums = 7;

/// `Model` has the kernels; Exchange sends `sent` and fills `arrived`, perhaps until `arrive`.
template <class Model, class Exchange>
class bicgstab {
public:
    bicgstab(const request& asked, const vectors& of, const Exchange& exchange)
        : r_(asked), v_(of), exchange_(exchange) {}

    /// Solves, checks the true residual, then times a hop.
    void run(answer& out) {
        krylov::report& report = out.solve;
        const std::size_t n = r_.vector();
        report.norm_b = std::sqrt(norm(v_.b));
        Model::begin(n, v_.b, v_.x, v_.r, v_.p);
        Model::wait();  // not in the first sample
        rho_ = report.norm_b * report.norm_b;
        iterate(report);
        matrix(v_.q, v_.x);
        Model::distance(n, v_.b, v_.q, sums_);
        report.true_residual = std::sqrt(total<1>()[0]);
        out.hop_seconds = time_hops();
    }

private:
    void iterate(krylov::report& report) {
        const double enough = r_.relative * report.norm_b;
        r_.step(r_.caller, 1);
        while (report.reason == krylov::ending::running) {
            if (step(report, enough)) return;
            const bool stop = r_.step(r_.caller, report.recursive_residual / report.norm_b) != 0;
            if (report.reason == krylov::ending::running && stop)
                report.reason = krylov::ending::stopped;
        }
    }

    /// Runs one step. Returns true if the solve ended before the end of the step.
    bool step(krylov::report& report, double enough) {
        const std::size_t n = r_.vector();
        ++report.iterations;
        matrix(v_.q, v_.p);
        const number shadow = dot(v_.b, v_.q);
        if (!regular(shadow)) return ended(report, krylov::ending::breakdown);
        const number alpha = number(rho_) / shadow;
        Model::subtract(n, v_.r, v_.q, alpha, sums_);
        set_residual(report, total<1>()[0], enough);
        if (report.reason != krylov::ending::running) {
            Model::advance(n, v_.x, v_.p, alpha);
            return true;
        }
        matrix(v_.t, v_.r);
        Model::dots(n, v_.t, v_.r, v_.b, sums_);
        const auto sums = total<7>();
        if (!(sums[0] > 0)) return ended(report, krylov::ending::breakdown);
        const number omega = number{sums[1], sums[2]} / number(sums[0]);
        const number next = number{sums[3], sums[4]} - omega * number{sums[5], sums[6]};
        const number beta = next / rho_ * (alpha / omega);
        rho_ = next;
        Model::update(n, v_.x, v_.r, v_.p, v_.t, v_.q, alpha, omega, beta, sums_);
        set_residual(report, total<1>()[0], enough);
        if (report.reason == krylov::ending::running && !(regular(next) && regular(omega)))
            report.reason = krylov::ending::breakdown;
        return false;
    }

    static void set_residual(krylov::report& report, double squared, double enough) {
        ++report.applications;
        report.recursive_residual = std::sqrt(squared);
        if (!std::isfinite(squared)) report.reason = krylov::ending::breakdown;
        if (report.recursive_residual <= enough) report.reason = krylov::ending::converged;
    }
    static bool ended(krylov::report& report, krylov::ending why) {
        report.reason = why;
        return true;
    }
    static bool regular(const number& a) {
        return std::isfinite(squared_size(a)) && squared_size(a) > 0;
    }

    /// y = D x: two hops, each with F^-1.
    void matrix(number* y, const number* x) const {
        apply({1, v_.links, v_.clover, x, nullptr, v_.odd, 1});
        apply({0, v_.links, v_.clover, v_.odd, x, y, kappa * kappa});
    }
    void apply(const hop& a) const {
        if (r_.exchange == nullptr) return Model::hop_of_all(r_.where, a);
        const rank_hop of{r_.where, r_.split,   a,
                          v_.sent,  v_.arrived, sites_of_faces(r_.where.size, r_.split)};
        Model::pack(of);
        exchange_();
        Model::hop_without_others(of);
        r_.arrive(r_.caller);
        Model::hop_of_faces(of);
    }

    /// Sums over warps, then over ranks.
    template <unsigned Count>
    std::array<double, Count> total() {
        std::array<double, Count> sums;
        sums_.add(Count, sums.data());
        r_.total(r_.caller, sums.data(), Count);
        return sums;
    }
    number dot(const number* u, const number* v) {
        Model::dot(r_.vector(), u, v, sums_);
        const auto sums = total<2>();
        return {sums[0], sums[1]};
    }
    double norm(const number* v) {
        Model::norm(r_.vector(), v, sums_);
        return total<1>()[0];
    }

    double time_hops() const {
        const hop one{1, v_.links, v_.clover, v_.x, nullptr, v_.odd, 1};
        apply(one);
        Model::wait();
        stopwatch watch;
        for (int i = 0; i < r_.hops; ++i) apply(one);
        Model::wait();
        return watch.lap() / r_.hops;
    }

    const request& r_;
    vectors v_;
    const Exchange& exchange_;
    number rho_;
    typename Model::partial_sums sums_;
};

template <class Model, class Exchange>
void solve(const request& asked, const vectors& of, const Exchange& exchange, answer& out) {
    bicgstab<Model, Exchange>(asked, of, exchange).run(out);
}

}  // namespace watari::lattice::directive
