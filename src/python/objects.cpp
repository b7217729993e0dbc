// Objects of an S3 server: reads into buffers, and uploads. The interpreter's lock is released
// while requests are under way.
#include "module.hpp"

#include "watari/core/error.hpp"
#include "watari/objects/object.hpp"
#include "watari/objects/service/curl.hpp"
#include "watari/objects/upload.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace {

using namespace watari;

/// A view of a Python object's memory; made and released with the interpreter's lock.
class view {
public:
    view(nb::handle of, int flags) {
        if (PyObject_GetBuffer(of.ptr(), &seen_, flags) != 0) throw nb::python_error();
    }
    view(const view&) = delete;
    view& operator=(const view&) = delete;
    ~view() { PyBuffer_Release(&seen_); }
    std::span<std::byte> bytes() const {
        return {static_cast<std::byte*>(seen_.buf), static_cast<std::size_t>(seen_.len)};
    }

private:
    Py_buffer seen_{};
};

objects::settings settings_of(const nb::dict& given) {
    objects::settings how = objects::settings::usual();
    const auto take = [&](const char* name, auto& value) {
        if (given.contains(name)) value = nb::cast<std::decay_t<decltype(value)>>(given[name]);
    };
    take("insecure", how.insecure);
    take("attempts", how.attempts);
    take("first_pause", how.first_pause);
    take("patience", how.patience);
    take("lanes", how.lanes);
    if (given.contains("gap")) how.gap = nb::cast<std::size_t>(given["gap"]);
    return how;
}

void open_object(objects::object* self, const std::string& url, const nb::dict& given) {
    const objects::settings how = settings_of(given);
    const nb::gil_scoped_release unlocked;
    new (self) objects::object(url, how);
}

void read_into(const objects::object& self, const nb::sequence& ranges, std::size_t depth) {
    std::vector<std::unique_ptr<view>> views;
    std::vector<objects::range> all;
    for (const nb::handle each : ranges) {
        views.push_back(std::make_unique<view>(nb::object(each[1]), PyBUF_WRITABLE));
        all.push_back({nb::cast<std::uint64_t>(each[0]), views.back()->bytes()});
    }
    const nb::gil_scoped_release unlocked;
    self.read(all, depth);
}

/// An upload that threads of Python may share.
struct writer {
    objects::upload upload;
    std::mutex mutex;

    writer(const std::string& url, const objects::settings& how) : upload(url, how) {}
    template <class Work>
    auto alone(Work work) {
        const nb::gil_scoped_release unlocked;
        const std::lock_guard lock(mutex);
        return work(upload);
    }
};

nb::list uploads(const std::string& url, const nb::dict& given) {
    const objects::settings how = settings_of(given);
    return list_of(without_lock([&] { return objects::list_uploads(url, how); }),
                   [](const objects::open_upload& each) {
                       return nb::make_tuple(each.key, each.id, each.started);
                   });
}

void abort_upload(const std::string& url, const std::string& key, const std::string& id,
                  const nb::dict& given) {
    const objects::settings how = settings_of(given);
    without_lock([&] { objects::abort_upload(url, {key, id, ""}, how); });
}

}  // namespace

static void bind_objects(nb::module_& module) {
    nb::class_<objects::object>(module, "Object", "An object of an S3 server, as it is now.")
        .def("__init__", open_object, nb::arg("url"), nb::arg("how"))
        .def_prop_ro("size", &objects::object::bytes, "Bytes.")
        .def_prop_ro("etag", &objects::object::etag, "The server's name of this version.")
        .def("read_into", read_into, nb::arg("ranges"), nb::arg("depth") = 0,
             "Reads (offset, buffer) of each range, up to `depth` requests at a time; 0: as many "
             "as suit the server.");
    nb::class_<writer>(module, "Upload", "An object that is written in order.")
        .def(
            "__init__",
            [](writer* self, const std::string& url, const nb::dict& given) {
                new (self) writer(url, settings_of(given));
            },
            nb::arg("url"), nb::arg("how"))
        .def("begin",
             [](writer& self) {
                 return self.alone([](objects::upload& upload) { return upload.begin(); });
             })
        .def(
            "resume",
            [](writer& self, const std::string& id) {
                return self.alone([&](objects::upload& upload) { return upload.resume(id); });
            },
            nb::arg("id"))
        .def("leave",
             [](writer& self) { self.alone([](objects::upload& upload) { upload.leave(); }); })
        .def(
            "write",
            [](writer& self, nb::handle data) {
                const view seen(data, PyBUF_SIMPLE);
                self.alone([&](objects::upload& upload) { upload.write(seen.bytes()); });
            },
            nb::arg("data"))
        .def("complete",
             [](writer& self) { self.alone([](objects::upload& upload) { upload.complete(); }); })
        .def("abort",
             [](writer& self) { self.alone([](objects::upload& upload) { upload.abort(); }); });
    module.def(
        "object_exists",
        [](const std::string& url, const nb::dict& given) {
            const objects::settings how = settings_of(given);
            return without_lock([&] { return objects::exists(url, how); });
        },
        nb::arg("url"), nb::arg("how"), "Whether there is such an object in its bucket.");
    module.def("uploads", uploads, nb::arg("url"), nb::arg("how"),
               "Uploads that were neither completed nor aborted: (key, id, time of start).");
    module.def("abort_upload", abort_upload, nb::arg("url"), nb::arg("key"), nb::arg("id"),
               nb::arg("how"), "Aborts one of them.");
    module.def("objects_absent_reason", objects::curl_absent_reason,
               "Why objects cannot be read or written here; empty if they can.");
}

static const binding objects_bindings(bind_objects);
