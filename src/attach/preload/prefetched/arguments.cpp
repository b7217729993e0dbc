#include "arguments.hpp"

#include <cstring>

#include "../driver/driver_call.hpp"

namespace attach::prefetched {
namespace {

driver_call<driver::result(const void*, std::size_t, std::size_t*, std::size_t*)> parameter_info{
    "cuFuncGetParamInfo"};

}  // namespace

arguments::arguments(const void* function, void** parameters) {
    std::size_t offset = 0, size = 0;
    for (std::size_t i = 0; parameters; ++i) {
        const driver::result outcome = parameter_info(function, i, &offset, &size);
        is_known = outcome == driver::success || outcome == driver::invalid_value;
        if (outcome != driver::success) return;  // invalid_value: there is no further one
        const auto* bytes = static_cast<const char*>(parameters[i]);
        for (std::size_t at = 0; at + sizeof *words <= size && count < most; at += sizeof *words)
            std::memcpy(&words[count++], bytes + at, sizeof *words);
    }
}

bool arguments::name(std::uint64_t address, std::size_t bytes) const {
    if (!is_known) return true;
    for (std::size_t i = 0; i < count; ++i)
        if (words[i] - address < bytes) return true;
    return false;
}

}  // namespace attach::prefetched
