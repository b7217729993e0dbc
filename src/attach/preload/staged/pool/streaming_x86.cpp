// Non-temporal stores, which do not read the line that they write.
#include <immintrin.h>
#include <cstdint>
#include <cstring>

#include "streaming.hpp"

namespace attach::staged {
namespace {

constexpr std::size_t line = 64;
constexpr std::size_t ahead = 16 * line;

// Whole lines to an aligned address.
using copy_lines = void (*)(unsigned char* to, const unsigned char* from, std::size_t lines);

__attribute__((target("avx512f"))) void copy_by_512_bits(unsigned char* to,
                                                         const unsigned char* from,
                                                         std::size_t lines) {
    for (; lines > 0; --lines, to += line, from += line) {
        _mm_prefetch(reinterpret_cast<const char*>(from + ahead), _MM_HINT_NTA);
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
    }
}

void copy_by_128_bits(unsigned char* to, const unsigned char* from, std::size_t lines) {
    for (; lines > 0; --lines, to += line, from += line) {
        _mm_prefetch(reinterpret_cast<const char*>(from + ahead), _MM_HINT_NTA);
        for (std::size_t i = 0; i < line; i += 16)
            _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                             _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
    }
}

copy_lines choose() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") ? copy_by_512_bits : copy_by_128_bits;
}

}  // namespace

void copy_past_caches(void* to, const void* from, std::size_t bytes) {
    static const copy_lines chosen = choose();
    auto* target = static_cast<unsigned char*>(to);
    const auto* source = static_cast<const unsigned char*>(from);
    std::size_t head = -reinterpret_cast<std::uintptr_t>(target) % line;
    if (head > bytes) head = bytes;
    std::memcpy(target, source, head);
    const std::size_t lines = (bytes - head) / line, body = lines * line;
    chosen(target + head, source + head, lines);
    std::memcpy(target + head + body, source + head + body, bytes - head - body);
    _mm_sfence();
}

}  // namespace attach::staged
