#include "watari/storage/stores/modelled_store.hpp"

#include <string_view>

namespace watari::storage {

namespace {

constexpr std::string_view modelled = "modelled:";

}  // namespace

bool is_modelled(const std::string& store) { return store.starts_with(modelled); }

modelled_disks disks_of(const std::string& store, const std::vector<double>& rows,
                        std::size_t disks) {
    return {.model = {store.substr(modelled.size()), rows}, .disks = disks};
}

}  // namespace watari::storage
