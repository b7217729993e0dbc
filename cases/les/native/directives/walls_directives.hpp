/// In directives as on a GPU: the flags of a cell.
#include "flow/walls_gpu.hpp"
