#include "rank_sums.hpp"

#include "watari/core/parallel/reductions.hpp"
#include "watari/core/threads.hpp"
#include "watari/krylov/kernels/vectors.hpp"
#include "watari/memory/move.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

namespace watari::lattice {

namespace {

constexpr std::size_t most_gathered = 8192;  ///< pieces of all ranks

/// Numbers of a rank's pieces in the whole lattice; empty if a piece would span several ranks.
std::vector<std::size_t> piece_numbers(const parameters& p) {
    const extents &own = p.size, &whole = p.part->whole;
    const point& origin = p.part->origin;
    const std::size_t column = std::size_t{own.z} * own.row();
    if (p.part->split.t > 1 || column % piece_sites != 0) return {};
    std::vector<std::size_t> numbers;
    for (unsigned x = 0; x < own.x; ++x)
        for (unsigned y = 0; y < own.y; ++y)
            for (std::size_t n = 0; n < column; n += piece_sites) {
                const point first{{origin.at[0] + x, origin.at[1] + y, origin.at[2], 0}};
                numbers.push_back((number_of(whole, first) + n) / piece_sites);
            }
    return numbers;
}

/// One thread adds the few numbers of a GPU's rank: the barrier of a team waits for its slowest
/// thread, and the GPU with it. What this saves has not been measured.
class thread_alone {
public:
    explicit thread_alone(bool wanted) {
        if (wanted) cpu::set_threads(1);
    }
    ~thread_alone() { cpu::set_threads(before_); }
    thread_alone(const thread_alone&) = delete;
    thread_alone& operator=(const thread_alone&) = delete;

private:
    int before_ = cpu::current_team().threads;
};

/// Adds the partial sums of all ranks on the host.
class rank_sums {
public:
    explicit rank_sums(const parameters& p)
        : who_(p.processor), ranks_(p.part->ranks), own_numbers_(piece_numbers(p)) {
        if (p.all_sites() / 2 / piece_sites > most_gathered) own_numbers_.clear();
    }

    template <class Real>
    void operator()(double* totals, const double* partials, std::size_t pieces, std::size_t systems,
                    std::size_t width, stream_t stream) {
        const thread_alone adds(who_.is_gpu());
        if (numbers_.size() < own_numbers_.size()) gather(own_numbers_, numbers_);
        partial_sums left{partials, pieces};
        if (numbers_.empty())
            left = kernels_on<krylov::vector_kernels<complex<Real>>>(who_).fold(
                const_cast<double*>(partials), pieces, systems, width, stream);
        own_.resize(partial_doubles(left.count, systems, width));
        memory::copy_now(who_, own_.data(), left.values,
                         left.count * systems * width * sizeof(double), stream);
        total_.resize(systems * width);
        numbers_.empty() ? add_ranks(left.count, systems, width)
                         : add_pieces(left.count, systems, width);
        // waits, since the next call overwrites total_
        memory::copy_now(who_, totals, total_.data(), total_.size() * sizeof(double), stream);
    }

private:
    template <class Value>
    void gather(const std::vector<Value>& own, std::vector<Value>& all) const {
        all.resize(own.size() * static_cast<std::size_t>(ranks_->size()));
        ranks_->gather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)));
    }
    void add_ranks(std::size_t count, std::size_t systems, std::size_t width) {
        cpu::add_partials(total_.data(), own_.data(), count, systems, width, nullptr);
        gather(total_, all_);
        std::fill(total_.begin(), total_.end(), 0.0);
        for (std::size_t i = 0; i < all_.size(); ++i) total_[i % total_.size()] += all_[i];
    }
    void add_pieces(std::size_t count, std::size_t systems, std::size_t width) {
        own_.resize(count * systems * width);
        gather(own_, all_);
        ordered_.resize(partial_doubles(numbers_.size(), systems, width));
        for (std::size_t r = 0; r < numbers_.size() / count; ++r)
            cpu::order_partials(ordered_.data(), numbers_.size(), all_.data() + r * own_.size(),
                                numbers_.data() + r * count, count, systems, width, nullptr);
        cpu::add_partials(total_.data(), ordered_.data(), numbers_.size(), systems, width, nullptr);
    }

    processor who_;
    const comm::communicator* ranks_;
    std::vector<std::size_t> own_numbers_, numbers_;  ///< of the pieces of this rank, of all ranks;
                                                      ///< empty: each rank adds its own
    std::vector<double> own_, total_, all_, ordered_;  ///< grow only at the first sums
};

}  // namespace

template <class Real>
krylov::inner_product sums_over_ranks(const parameters& p) {
    krylov::inner_product result{.piece = piece};
    if (!p.part) return result;
    result.total = [sums = std::make_shared<rank_sums>(p)](double* totals, const double* partials,
                                                           std::size_t pieces, std::size_t systems,
                                                           std::size_t width, stream_t stream) {
        sums->operator()<Real>(totals, partials, pieces, systems, width, stream);
    };
    return result;
}

template krylov::inner_product sums_over_ranks<float>(const parameters&);
template krylov::inner_product sums_over_ranks<double>(const parameters&);

}  // namespace watari::lattice
