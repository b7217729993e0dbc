// The number of this library's threads, and where they run.
#pragma once

#include <sched.h>

#include "../../driver/driver.hpp"

namespace attach::staged {

struct crew {
    unsigned threads = 0;  // 0: too few CPUs to be faster than the driver
    int node = -1;         // of NUMA, near the GPU; -1: the machine has one, or does not say
    cpu_set_t cpus;        // of that node, as far as this process may use them
};

crew crew_near(driver::device gpu);

}  // namespace attach::staged
