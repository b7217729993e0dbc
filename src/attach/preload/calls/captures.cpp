// Counts the captures of streams. During a capture nothing may wait for its context: the wait
// fails, and the capture becomes invalid.
#include "../pooled/pooled.hpp"
#include "../staged/staged.hpp"
#include "../styles/memory.hpp"
#include "functions.hpp"

namespace attach {
namespace {

int under_way = 0;

// Counted before it begins: from then on no memory is kept, and no copy staged.
template <auto* Replacement, class... Arguments>
result begin(Arguments... arguments) {
    __atomic_add_fetch(&under_way, 1, __ATOMIC_SEQ_CST);
    pooled::give_back();
    staged::await_legacy_copies();
    const result outcome = real<Replacement>()(arguments...);
    if (outcome != driver::success) __atomic_sub_fetch(&under_way, 1, __ATOMIC_SEQ_CST);
    return outcome;
}

// An invalid capture has ended, too; a capture of another thread continues.
result ended(result outcome) {
    if (outcome == driver::success || outcome == driver::capture_invalidated ||
        outcome == driver::capture_unjoined)
        __atomic_sub_fetch(&under_way, 1, __ATOMIC_SEQ_CST);
    return outcome;
}

}  // namespace

bool is_any_captured() { return __atomic_load_n(&under_way, __ATOMIC_SEQ_CST) > 0; }

result cuStreamBeginCapture_v2(stream on, int mode) {
    return begin<cuStreamBeginCapture_v2>(on, mode);
}

result cuStreamBeginCapture_v2_ptsz(stream on, int mode) {
    return begin<cuStreamBeginCapture_v2_ptsz>(on, mode);
}

result cuStreamBeginCaptureToGraph(stream on, void* graph, const void* after, const void* edges,
                                   std::size_t count, int mode) {
    return begin<cuStreamBeginCaptureToGraph>(on, graph, after, edges, count, mode);
}

result cuStreamBeginCaptureToGraph_ptsz(stream on, void* graph, const void* after,
                                        const void* edges, std::size_t count, int mode) {
    return begin<cuStreamBeginCaptureToGraph_ptsz>(on, graph, after, edges, count, mode);
}

result cuStreamEndCapture(stream on, void** graph) {
    return ended(real<cuStreamEndCapture>()(on, graph));
}

result cuStreamEndCapture_ptsz(stream on, void** graph) {
    return ended(real<cuStreamEndCapture_ptsz>()(on, graph));
}

}  // namespace attach
