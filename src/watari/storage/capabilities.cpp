#include "watari/storage/capabilities.hpp"

#include "watari/files/uring/uring.hpp"
#include "watari/objects/service/curl.hpp"
#include "watari/storage/cufile_gpu.hpp"

namespace watari::storage {
namespace {

using machine::capability;

capability io_uring() {
    const std::string reason = files::uring_absent_reason();
    return {"io_uring", reason.empty(), reason, ""};
}

capability s3() {
    const std::string reason = objects::curl_absent_reason();
    return {"s3", reason.empty(), reason.empty() ? "" : "libcurl: " + reason,
            objects::curl_version()};
}

}  // namespace

std::vector<capability> capabilities() { return {cufile_capability(), io_uring(), s3()}; }

}  // namespace watari::storage
