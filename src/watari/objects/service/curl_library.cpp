#include "watari/objects/service/curl_library.hpp"

#include "watari/core/error.hpp"
#include "watari/core/loaded/shared_object.hpp"
#include "watari/objects/service/curl.hpp"

#include <mutex>

namespace watari::objects {

namespace {

curl_library load() {
    curl_library found;
    std::string file;
    shared_object object{nullptr, ""};
    // the second is Debian's other build of the same library
    for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
        object = load_part(file = name);
        if (object.handle) break;
        if (found.why_not.empty()) found.why_not = object.why_not;
    }
    if (!object.handle) return found;
    found.why_not.clear();
    const auto get = [&](const char* name, auto& function) {
        find_function(object, file, name, function, found.why_not);
    };
    get("curl_global_init", found.global_init);
    get("curl_version_info", found.version_info);
    get("curl_easy_init", found.easy_init);
    get("curl_easy_cleanup", found.easy_cleanup);
    get("curl_easy_reset", found.easy_reset);
    get("curl_easy_setopt", found.easy_setopt);
    get("curl_easy_getinfo", found.easy_getinfo);
    get("curl_easy_strerror", found.easy_strerror);
    get("curl_multi_init", found.multi_init);
    get("curl_multi_cleanup", found.multi_cleanup);
    get("curl_multi_setopt", found.multi_setopt);
    get("curl_multi_add_handle", found.multi_add_handle);
    get("curl_multi_remove_handle", found.multi_remove_handle);
    get("curl_multi_socket_action", found.multi_socket_action);
    get("curl_multi_info_read", found.multi_info_read);
    get("curl_multi_strerror", found.multi_strerror);
    get("curl_slist_append", found.slist_append);
    get("curl_slist_free_all", found.slist_free_all);
    if (found.why_not.empty() && found.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        found.why_not = file + " cannot start";
    return found;
}

}  // namespace

const curl_library& libcurl() {
    static std::mutex one_at_a_time;
    static curl_library loaded{.why_not = "not loaded yet"};
    const std::lock_guard lock(one_at_a_time);
    if (!loaded.why_not.empty()) loaded = load();
    return loaded;
}

const curl_library& required_libcurl() {
    const curl_library& library = libcurl();
    if (!library.why_not.empty()) throw unsupported("libcurl: " + library.why_not);
    return library;
}

std::string curl_absent_reason() { return libcurl().why_not; }

std::string curl_version() {
    const curl_library& library = libcurl();
    if (!library.why_not.empty()) return "";
    return std::string("libcurl ") + library.version_info(CURLVERSION_NOW)->version;
}

}  // namespace watari::objects
