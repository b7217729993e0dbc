// Whether descriptor 2 is still the file that it was at the start: a program that has closed it may
// have opened a file of its own there.
#pragma once

namespace attach {

bool is_standard_error();

}  // namespace attach
