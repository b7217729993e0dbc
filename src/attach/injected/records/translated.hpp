// Records of CUPTI as those of this library.
#pragma once

#include "format.hpp"

#include <cupti.h>

#include <vector>

namespace watari::attach {

struct translated {
    std::vector<record> records;
    std::vector<call_record> calls;
};

// Adds an activity; kinds that are not recorded add nothing.
void translate(const CUpti_Activity* activity, translated& into);

}  // namespace watari::attach
