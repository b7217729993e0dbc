// A call that needs GPU memory. Where there is none left, kept blocks go back, and the call is made
// once more.
#pragma once

#include "../calls/functions.hpp"
#include "pooled.hpp"

namespace attach {

template <auto* Replacement, class... Arguments>
result retried(Arguments... arguments) {
    const result outcome = real<Replacement>()(arguments...);
    if (outcome != driver::out_of_memory || !pooled::give_back()) return outcome;
    return real<Replacement>()(arguments...);
}

}  // namespace attach
