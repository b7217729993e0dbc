#include "tree.hpp"

namespace watari::deep {

std::size_t mismatches(const node* root, const shape& s, std::size_t samples) {
    std::size_t wrong = 0;
    for (std::size_t n = 1; n <= s.nodes(); ++n) {
        const node* at = walk(root, n);
        for (std::size_t i = 0; i < s.each; ++i)
            wrong += at->data[i] != start(n, i) + static_cast<double>(samples);
    }
    return wrong;
}

}  // namespace watari::deep
