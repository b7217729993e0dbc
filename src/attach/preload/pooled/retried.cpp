// Other calls that need GPU memory: where there is none left, kept blocks go back, and the call is
// made once more.
#include "../functions.hpp"
#include "pooled.hpp"

namespace attach {
namespace {

template <auto* Replacement, class... Arguments>
result retried(Arguments... arguments) {
    const result outcome = real<Replacement>()(arguments...);
    if (outcome != driver::out_of_memory || !pooled::give_back()) return outcome;
    return real<Replacement>()(arguments...);
}

}  // namespace

result cuArrayCreate_v2(void** made, const void* described) {
    return retried<cuArrayCreate_v2>(made, described);
}

result cuArray3DCreate_v2(void** made, const void* described) {
    return retried<cuArray3DCreate_v2>(made, described);
}

result cuMipmappedArrayCreate(void** made, const void* described, unsigned levels) {
    return retried<cuMipmappedArrayCreate>(made, described, levels);
}

}  // namespace attach
