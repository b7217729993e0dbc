/// In directives as on a CPU.
#include "flow/square_root_cpu.hpp"
