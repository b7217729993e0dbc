/// Included by a compiler flag at the beginning of a program (acc-managed-all.cpp): its malloc and
/// free then link to those of managed_malloc.cpp, which return managed memory.
#pragma once

extern "C" {
void* malloc(__SIZE_TYPE__ bytes) noexcept __asm__("managed_malloc");
void free(void* data) noexcept __asm__("managed_free");
}
