// Loads a compiled kernel and launches it once: launched IMAGE NAME. A test gives the arguments as
// it packed them, so that it sees what the driver gets.
//
//     in:  number of arrays, then the bytes of each in hexadecimal digits
//     out: offset and bytes of each parameter, on one line; the address of each array, on one line
//     in:  blocks, threads, the packed arguments in hexadecimal digits, the offset of each
//     out: the bytes of each array after the launch
#include "watari/core/loaded/kernel.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace {

template <class Function>
Function* driver(const char* name) {
    static void* library = dlopen("libcuda.so.1", RTLD_NOW);
    return reinterpret_cast<Function*>(dlsym(library, name));
}

void make_context() {
    void* context = nullptr;
    driver<int(unsigned)>("cuInit")(0);
    driver<int(void**, int)>("cuDevicePrimaryCtxRetain")(&context, 0);
    driver<int(void*)>("cuCtxSetCurrent")(context);
}

std::string from_digits(const std::string& digits) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        bytes.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
    return bytes;
}

void print_digits(const char* data, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i)
        std::printf("%02x", static_cast<unsigned char>(data[i]));
    std::printf("\n");
}

/// An array in memory of the driver.
struct array {
    unsigned long long address = 0;
    std::size_t bytes;

    explicit array(const std::string& content) : bytes(content.size()) {
        driver<int(unsigned long long*, std::size_t)>("cuMemAlloc_v2")(&address, bytes);
        driver<int(unsigned long long, const void*, std::size_t)>("cuMemcpyHtoD_v2")(
            address, content.data(), bytes);
    }
    std::string content() const {
        std::string found(bytes, '\0');
        driver<int(void*, unsigned long long, std::size_t)>("cuMemcpyDtoH_v2")(found.data(),
                                                                               address, bytes);
        return found;
    }
};

}  // namespace

int main(int, char** words) {
    make_context();
    std::ifstream file(words[1], std::ios::binary);
    const std::string image{std::istreambuf_iterator<char>(file), {}};
    const watari::loaded_kernel kernel(image, words[2]);
    std::size_t count = 0;
    std::cin >> count;
    std::vector<array> arrays;
    for (std::string digits; arrays.size() < count && std::cin >> digits;)
        arrays.emplace_back(from_digits(digits));
    const auto parameters = kernel.parameters();
    for (const auto& p : *parameters) std::printf("%zu %zu ", p.offset, p.bytes);
    std::printf("\n");
    for (const array& one : arrays) std::printf("%llu ", one.address);
    std::printf("\n");
    std::fflush(stdout);

    watari::launch_shape shape{};
    std::string digits;
    std::cin >> shape.blocks >> shape.threads >> digits;
    watari::packed_arguments arguments{from_digits(digits), {}};
    for (std::size_t offset = 0; std::cin >> offset;) arguments.offsets.push_back(offset);
    kernel.launch(shape, arguments, nullptr);
    std::memset(arguments.bytes.data(), 0, arguments.bytes.size());  // the driver has a copy
    driver<int()>("cuCtxSynchronize")();
    for (const array& one : arrays) {
        const std::string found = one.content();
        print_digits(found.data(), found.size());
    }
}
