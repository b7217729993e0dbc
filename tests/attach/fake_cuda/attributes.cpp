// Several attributes of a pointer at once: an unknown pointer is no error, its attributes are zero.
#include "fake_cuda.hpp"

using namespace fake;

FAKE result cuPointerGetAttribute(void* value, int attribute, device_pointer pointer);

FAKE result cuPointerGetAttributes(unsigned count, int* attributes, void** values,
                                   device_pointer pointer) {
    for (unsigned i = 0; i < count; ++i)
        if (cuPointerGetAttribute(values[i], attributes[i], pointer) != success)
            *static_cast<unsigned*>(values[i]) = 0;
    return success;
}
