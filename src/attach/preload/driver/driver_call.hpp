// A driver function that is called often and not replaced: looked up once.
#pragma once

#include "driver.hpp"
#include "real.hpp"

namespace attach {

template <class Function>
class driver_call;

template <class... Arguments>
class driver_call<driver::result(Arguments...)> {
public:
    explicit constexpr driver_call(const char* symbol) : name(symbol) {}

    driver::result operator()(Arguments... arguments) {
        void* function = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
        if (!function) {
            function = driver_symbol(name);
            if (!function) return driver::not_supported;
            __atomic_store_n(&known, function, __ATOMIC_RELEASE);
        }
        return reinterpret_cast<driver::result (*)(Arguments...)>(function)(arguments...);
    }

private:
    const char* name;
    void* known = nullptr;
};

}  // namespace attach
