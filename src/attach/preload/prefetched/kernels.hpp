// Functions of CUDA by handle, and the first row of the table for each: looked up once.
#pragma once

#include <cstddef>

namespace attach::prefetched {

// The known row of a function's handle. False: it is not known. The caller holds the lock.
bool known_row(const void* function, std::size_t& row);

// Remembers the row of a handle. The caller holds the lock.
void remember_row(const void* function, std::size_t row);

void forget_rows();

// The symbol of a function or kernel; null if the driver does not say.
const char* symbol_of_function(const void* function);

}  // namespace attach::prefetched
