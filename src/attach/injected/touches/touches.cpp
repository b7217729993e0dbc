// The program that `watari trace` traces before the user's program: its touched pages are known, so
// that a tool chain that loses records is detected. One managed allocation of 64 MiB; the CPU
// writes all of it, then
//
//     dense    a kernel reads bytes 0 to 16 MiB, one in every 4 KiB; the CPU reads them again
//     (nothing touches bytes 16 to 32 MiB)
//     sparse   a kernel writes one byte in every 2 MiB of bytes 32 to 64 MiB
//
// It prints the address and the parts as JSON. With the word `burst` it instead times calls
// (burst.cpp). The kernels are PTX, which every driver compiles for its GPU. The driver is loaded
// at run time: without a driver the program prints a message and exits with 1.
#include "touches.hpp"

#include <cstdint>
#include <cstring>

namespace {

using namespace watari::attach;

constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB;
constexpr std::uint64_t allocation = 64 * MiB, dense = 16 * MiB, sparse_from = 32 * MiB;
constexpr std::uint64_t dense_step = 4 * KiB, sparse_step = 2 * MiB;

// watari_touch: thread i < count reads, or with `write` sets, byte i * step
// watari_spin: takes some cycles
constexpr const char* kernel = R"(
.version 7.0
.target sm_60
.address_size 64
.visible .entry watari_touch(.param .u64 first, .param .u64 step, .param .u64 count, .param .u32 write)
{
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .b64 %d<6>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r1, %r1, %r2, %r3;
  cvt.u64.u32 %d1, %r1;
  ld.param.u64 %d2, [count];
  setp.ge.u64 %p, %d1, %d2;
  @%p ret;
  ld.param.u64 %d3, [step];
  ld.param.u64 %d4, [first];
  mad.lo.u64 %d4, %d1, %d3, %d4;
  cvta.to.global.u64 %d4, %d4;
  ld.param.u32 %r4, [write];
  setp.ne.u32 %p, %r4, 0;
  mov.u32 %r5, 2;
  @%p st.global.u8 [%d4], %r5;
  @!%p ld.volatile.global.u8 %r5, [%d4];
  ret;
}
.visible .entry watari_spin(.param .u64 cycles)
{
  .reg .pred %p;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [cycles];
  mov.u64 %d2, %clock64;
  add.u64 %d1, %d1, %d2;
again:
  mov.u64 %d3, %clock64;
  setp.lt.u64 %p, %d3, %d1;
  @%p bra again;
  ret;
}
)";

void touch(CUfunction function, CUdeviceptr first, std::uint64_t step, std::uint64_t count,
           unsigned write) {
    void* parameters[] = {&first, &step, &count, &write};
    const auto blocks = static_cast<unsigned>((count + 255) / 256);
    call("cuLaunchKernel", &cuLaunchKernel, function, blocks, 1u, 1u, 256u, 1u, 1u, 0u, nullptr,
         parameters, nullptr);
    call("cuCtxSynchronize", &cuCtxSynchronize);
}

}  // namespace

int main(int words, char** word) {
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) {
        fail("no driver", dlerror());
    }
    CUdevice device = 0;
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    CUdeviceptr pointer = 0;
    call("cuInit", &cuInit, 0u);
    call("cuDeviceGet", &cuDeviceGet, &device, 0);
    call("cuDevicePrimaryCtxRetain", &cuDevicePrimaryCtxRetain, &context, device);
    call("cuCtxSetCurrent", &cuCtxSetCurrent, context);
    call("cuModuleLoadData", &cuModuleLoadData, &module, static_cast<const void*>(kernel));
    call("cuModuleGetFunction", &cuModuleGetFunction, &function, module, "watari_touch");
    if (words > 1 && std::strcmp(word[1], "burst") == 0) {
        burst(module);
        return 0;
    }
    call("cuMemAllocManaged", &cuMemAllocManaged, &pointer, static_cast<std::size_t>(allocation),
         static_cast<unsigned>(CU_MEM_ATTACH_GLOBAL));

    auto* bytes = reinterpret_cast<volatile unsigned char*>(pointer);
    for (std::uint64_t i = 0; i < allocation; i += 4 * KiB) {
        bytes[i] = 1;
    }
    touch(function, pointer, dense_step, dense / dense_step, 0);
    unsigned sum = 0;
    for (std::uint64_t i = 0; i < dense; i += dense_step) {
        sum += bytes[i];
    }
    touch(function, pointer + sparse_from, sparse_step, (allocation - sparse_from) / sparse_step,
          1);
    call("cuMemFree_v2", &cuMemFree_v2, pointer);
    std::printf(
        "{\"address\": %llu, \"bytes\": %llu, \"dense\": %llu, \"sparse_from\": %llu, "
        "\"sparse_step\": %llu, \"sum\": %u}\n",
        static_cast<unsigned long long>(pointer), static_cast<unsigned long long>(allocation),
        static_cast<unsigned long long>(dense), static_cast<unsigned long long>(sparse_from),
        static_cast<unsigned long long>(sparse_step), sum);
    return sum == dense / dense_step ? 0 : 1;
}
