/// The processor that executes: the CPU's threads, or a GPU by its number.
#pragma once

namespace watari {

/// The CPU, or a GPU.
struct processor {
    enum class type { cpu, gpu };
    type kind = type::cpu;
    int number = 0;  ///< of the GPU

    bool is_gpu() const noexcept { return kind == type::gpu; }
    friend bool operator==(const processor&, const processor&) = default;
};

inline constexpr processor the_cpu{processor::type::cpu, 0};

/// The GPU of this number.
constexpr processor gpu_number(int number) { return {processor::type::gpu, number}; }

}  // namespace watari
