/// Processors that tests run on, and memory for them.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/processor.hpp"
#include "watari/memory/kind.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace watari {

/// The CPU, and a GPU where there is one.
inline std::vector<processor> processors() {
    std::vector<processor> all{the_cpu};
    if (device::count() > 0) all.push_back(gpu_number(0));
    return all;
}

/// The name of a test's processor.
inline std::string processor_name(const testing::TestParamInfo<processor>& info) {
    return info.param.is_gpu() ? "gpu" : "cpu";
}

/// Memory that both the processor and this program address.
inline memory::kind shared_kind(processor who) {
    return who.is_gpu() ? memory::kind::managed : memory::kind::pageable;
}

}  // namespace watari
