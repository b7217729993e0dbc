#include "fields.hpp"

#include "../solver/work.hpp"
#include "watari/core/parallel/pieces.hpp"

#include <algorithm>

namespace watari::lattice {

std::array<array, 5> arrays(fields& f, const parameters& p) {
    const std::size_t half = p.size.half(), number = 2 * p.real_bytes();
    const std::size_t vector = p.rhs * half * spinor * number;
    return {array{&f.links, 8 * half * (p.links / 2) * number}, array{&f.source, vector},
            array{&f.clover, 2 * half * packed * number}, array{&f.solution, vector},
            array{&f.work, work_bytes(p)}};
}

geometry geometry_of(const parameters& p) {
    geometry result{.size = p.size};
    if (p.part) result.whole = p.part->whole, result.origin = p.part->origin;
    result.log2_lanes = 3;
    if (p.processor.is_gpu())
        result.log2_lanes = p.size.half() % 32 == 0 ? 5 : 3;
    else  // all lanes lie in one row
        while (p.size.row() % (1u << result.log2_lanes) != 0) --result.log2_lanes;
    return result;
}

std::size_t scratch(const parameters& p) {
    const std::size_t half = p.size.half();
    const std::size_t of_sites = (2 * half + piece_sites - 1) / piece_sites;
    const std::size_t of_vectors = (p.rhs * half * spinor + piece - 1) / piece;
    return 3 + partial_doubles(std::max(of_sites, of_vectors), 1, 3);
}

}  // namespace watari::lattice
