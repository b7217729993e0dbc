/// Included by a compiler flag before a whole program (acc-managed-all.cpp): its malloc and free
/// are then linked to those of managed_malloc.cpp, which give managed memory.
#pragma once

extern "C" {
void* malloc(__SIZE_TYPE__ bytes) noexcept __asm__("managed_malloc");
void free(void* data) noexcept __asm__("managed_free");
}
