/// The kernels of a trial: those of its processor, or those of a style in directives.
#pragma once

#include "flow/flow.hpp"
#include "flow/survey.hpp"
#include "les.hpp"
#include "pressure/coarsening.hpp"
#include "pressure/iteration.hpp"
#include "pressure/vcycle.hpp"
#include "watari/core/dispatch.hpp"

#include <tuple>

namespace watari::les {

/// The tables of kernels of a shared object. They run on the same arrays as the processor's.
struct kernel_tables
    : std::tuple<const flow_kernels<float>*, const flow_kernels<double>*,
                 const vcycle_kernels<float>*, const vcycle_kernels<double>*,
                 const iteration_kernels<float>*, const iteration_kernels<double>*,
                 const coarsening_kernels<float>*, const coarsening_kernels<double>*,
                 const survey_kernels<float>*, const survey_kernels<double>*> {
    using tuple::tuple;
};

template <class Table>
const Table& kernels_for(const parameters& p) {
    if (p.directives != nullptr) return *std::get<const Table*>(*p.directives);
    return kernels_on<Table>(p.processor);
}

}  // namespace watari::les
