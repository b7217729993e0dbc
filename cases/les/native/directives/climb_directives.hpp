/// In directives as on a CPU: a stage by rows.
#include "flow/climb_cpu.hpp"
