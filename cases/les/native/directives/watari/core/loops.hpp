/// The two loops from which all kernels are made, in the language of the directives.
///
/// A body is copied to the GPU at each launch, as an argument: its pointers are valid there. It
/// travels as bytes, since GCC maps no type that has a static member, and crashes on a lambda.
#pragma once

#include "watari/core/backend.hpp"
#include "watari/core/device.hpp"

#include <cstddef>
#include <cstring>

namespace watari::cpu {

template <class Body>
struct packed {
    alignas(Body) unsigned char bytes[sizeof(Body)];

    explicit packed(const Body& of) { std::memcpy(bytes, &of, sizeof of); }
};

/// GCC 12 and 13 crash if a lane has structs of its own in the loop: there it calls a function.
#if defined(_OPENACC) || defined(__clang__) || defined(__NVCOMPILER)
#define WATARI_CALLED [[gnu::always_inline]] inline
#else
#define WATARI_CALLED [[gnu::noinline]]
#endif
#if defined(_OPENACC) || defined(__clang__) || defined(__NVCOMPILER)
#define WATARI_LANES
#else
#define WATARI_LANES simd  // GCC maps a thread to a warp, and a lane to one of its lanes
#endif
template <class Body>
WATARI_CALLED auto call(const unsigned char* bytes, std::size_t n) {
    return (*reinterpret_cast<const Body*>(bytes))(n);
}

template <class Body, class Value>
WATARI_CALLED void store(const unsigned char* bytes, std::size_t n, unsigned char* to) {
    reinterpret_cast<Value*>(to)[n] = (*reinterpret_cast<const Body*>(bytes))(n);
}

/// Gangs of a loop in OpenACC. GCC's own number is that of a full GPU, whatever the count, and
/// every gang first copies the body from one lane to the others.
constexpr int gangs_for(std::size_t count) {
    constexpr std::size_t lanes = 128, most = 4096;
    const std::size_t all = (count + lanes - 1) / lanes;
    return static_cast<int>(all < 1 ? 1 : all < most ? all : most);
}

/// body(n) for 0 <= n < count, in no order.
template <class Body>
void for_each(std::size_t count, const Body& given, stream_t) {
    packed<Body> body(given);
#ifdef _OPENACC
    const int gangs = gangs_for(count);
#pragma acc parallel loop gang vector num_gangs(gangs) vector_length(128) firstprivate(body)
#else
#pragma omp target teams distribute parallel for WATARI_LANES firstprivate(body)
#endif
    for (std::size_t n = 0; n < count; ++n) call<Body>(body.bytes, n);
}

/// to[n] = body(n) for 0 <= n < count, in memory of the CPU.
template <class Body, class Value>
void results_of(std::size_t count, const Body& given, Value* to) {
    packed<Body> body(given);
    const std::size_t size = count * sizeof(Value);
    auto* const bytes = reinterpret_cast<unsigned char*>(to);
#ifdef _OPENACC
    const int gangs = gangs_for(count);
#pragma acc parallel loop gang vector num_gangs(gangs) vector_length(128) firstprivate(body) \
    copyout(bytes [0:size])
#else
#pragma omp target teams distribute parallel for WATARI_LANES firstprivate(body) \
    map(from                                                                     \
        : bytes [0:size])
#endif
    for (std::size_t n = 0; n < count; ++n) store<Body, Value>(body.bytes, n, bytes);
}

}  // namespace watari::cpu
