// Questions about memory that the program asks the driver. Kept blocks go back before it answers,
// so that the answer is that of a program without this library.
#include "../calls/functions.hpp"
#include "pooled.hpp"

namespace attach {
namespace {

constexpr int attribute_p2p_tokens = 5;  // CU_POINTER_ATTRIBUTE_P2P_TOKENS: for a network card

void ask(int attribute, device_pointer pointer) {
    if (attribute == attribute_p2p_tokens)
        pooled::share(pointer);
    else
        pooled::give_back_at(pointer);
}

}  // namespace

result cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    pooled::give_back();
    return real<cuMemGetInfo_v2>()(free, total);
}

result cuMemGetAddressRange_v2(device_pointer* base, std::size_t* bytes, device_pointer pointer) {
    pooled::give_back_at(pointer);
    return real<cuMemGetAddressRange_v2>()(base, bytes, pointer);
}

result cuPointerGetAttribute(void* value, int attribute, device_pointer pointer) {
    ask(attribute, pointer);
    return real<cuPointerGetAttribute>()(value, attribute, pointer);
}

result cuPointerGetAttributes(unsigned count, int* attributes, void** values,
                              device_pointer pointer) {
    for (unsigned i = 0; attributes && i < count; ++i) ask(attributes[i], pointer);
    return real<cuPointerGetAttributes>()(count, attributes, values, pointer);
}

}  // namespace attach
