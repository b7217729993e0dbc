// Memory that the driver must copy itself, although its attributes at a copy's ends do not show it:
// host memory that the program registered, if it lies inside a copy, and GPU memory that the
// program imported: from another process, a graphics library or a pool. The calls that make it are
// replaced (imports.cpp), and note it here.
#pragma once

#include <cstddef>

#include "../../driver/driver.hpp"

namespace attach::staged {

// Only programs that stage, or whose copies are recorded, note memory.
bool is_noting();

void note_registered(const void* host, std::size_t bytes);
void forget_registered(const void* host);

// `bytes`: 0 if only the pointer is known.
void note_imported(driver::device_pointer pointer, std::size_t bytes);
void forget_imported(driver::device_pointer pointer);

// Memory of this handle is imported wherever it is mapped.
void note_imported_handle(unsigned long long handle);
void forget_imported_handle(unsigned long long handle);
bool is_imported_handle(unsigned long long handle);

bool is_any_registered(const void* host, std::size_t bytes);

// `start`, `size`: of the allocation that has the copy's memory.
bool is_imported(driver::device_pointer start, std::size_t size);

}  // namespace attach::staged
