#include "watari/storage/capabilities.hpp"

#include "watari/files/uring.hpp"
#include "watari/storage/cufile_gpu.hpp"

namespace watari::storage {
namespace {

using machine::capability;

capability io_uring() {
    const std::string reason = files::uring_absent_reason();
    return {"io_uring", reason.empty(), reason, ""};
}

}  // namespace

std::vector<capability> capabilities() { return {cufile_capability(), io_uring()}; }

}  // namespace watari::storage
