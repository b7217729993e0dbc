// Memory for Python: a buffer of any kind, its residency, hints, and the kernels that the cases
// time.
#include "case.hpp"
#include "module.hpp"

#include "watari/case/words.hpp"
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/measure/copy.hpp"
#include "watari/measure/pattern.hpp"
#include "watari/measure/values.hpp"
#include "watari/memory/hint.hpp"
#include "watari/memory/move.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

using namespace watari;

namespace {

using block = memory::block;
using unlocked = nb::call_guard<nb::gil_scoped_release>;  ///< for calls of any duration

/// A Buffer: its memory lives as long as the Buffer or an array of it.
struct buffer {
    std::shared_ptr<const block> memory;
};

/// Returns DLPack's device type of a kind.
int device_type(memory::kind kind) {
    if (kind == memory::kind::device) return nb::device::cuda::value;
    if (kind == memory::kind::managed) return nb::device::cuda_managed::value;
    if (kind == memory::kind::pinned) return nb::device::cuda_host::value;
    return nb::device::cpu::value;
}

/// Returns the memory of a block through DLPack, without a copy. The array owns the block, not the
/// Buffer: otherwise an array in its own Buffer's attributes would keep the Buffer forever, since
/// NumPy's arrays take no part in Python's search for cycles.
template <class... Framework>
nb::object viewed(const buffer& b, int device_type, nb::dlpack::dtype type,
                  const std::vector<std::size_t>& shape) {
    const nb::capsule owner(new buffer(b),
                            [](void* held) noexcept { delete static_cast<buffer*>(held); });
    const int device = device_type == nb::device::cpu::value ? 0 : b.memory->device();
    return nb::cast(nb::ndarray<Framework...>(b.memory->data(), shape.size(), shape.data(), owner,
                                              nullptr, type, device_type, device));
}

/// Returns a NumPy array if the CPU can address the memory, else a DLPack array.
nb::object view(const buffer& b) {
    const std::vector<std::size_t> shape{b.memory->bytes() / sizeof(double)};
    if (b.memory->kind().cpu_can_address)
        return viewed<nb::numpy>(b, nb::device::cpu::value, nb::dtype<double>(), shape);
    return viewed<>(b, device_type(b.memory->kind().kind), nb::dtype<double>(), shape);
}

/// Returns a NumPy array of bytes, which the caller views with another type and shape.
nb::object bytes(const buffer& b) {
    return viewed<nb::numpy>(b, nb::device::cpu::value, nb::dtype<std::uint8_t>(),
                             {b.memory->bytes()});
}

/// Returns elements of any type and shape that fit into the memory, with DLPack's device type `on`;
/// by default the type of the memory.
nb::object exported(const buffer& b, std::pair<int, int> code_and_bits,
                    const std::vector<std::size_t>& shape, std::optional<int> on) {
    const auto [code, bits] = code_and_bits;
    std::size_t bytes = static_cast<std::size_t>(bits) / 8;
    for (const std::size_t side : shape) bytes *= side;
    if (bytes > b.memory->bytes()) throw usage_error("the elements are more than the buffer holds");
    const nb::dlpack::dtype type{static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits),
                                 1};
    return viewed<nb::array_api>(b, on.value_or(device_type(b.memory->kind().kind)), type, shape);
}

void make(buffer* self, const std::string& kind, std::size_t size, int device, bool oversubscribe) {
    const memory::placement how{.device = device, .oversubscribe = oversubscribe};
    new (self) buffer{std::make_shared<block>(memory::row(kind).kind, size, how)};
}

nb::dict residency(const buffer& b, bool all_touched) {
    return as_dict(without_lock([&] { return memory::locate(*b.memory, all_touched); }));
}

void advise(const buffer& b, const std::string& hint, const std::string& gpu) {
    memory::advise(*b.memory, memory::hint_named(hint), cases::processor_named(gpu));
}

void prefetch(const buffer& b, const std::string& to) {
    memory::prefetch(*b.memory, cases::processor_named(to), nullptr);
    device::synchronize(nullptr);
}

/// Returns the processor of this name, which must be able to address the memory.
processor accessing(const buffer& b, const std::string& by) {
    const processor who = cases::processor_named(by);
    memory::require_access(b.memory->kind(), who);
    return who;
}

void fill(const buffer& b, const std::string& by, std::uint64_t seed) {
    const processor who = accessing(b, by);
    kernels_on<measure::pattern_kernels>(who).fill(
        static_cast<double*>(b.memory->data()), b.memory->bytes() / sizeof(double), seed, nullptr);
    memory::wait(who);
}

std::size_t mismatches(const buffer& b, const std::string& by, std::uint64_t seed) {
    const processor who = accessing(b, by);
    return kernels_on<measure::pattern_kernels>(who).mismatches(
        static_cast<const double*>(b.memory->data()), b.memory->bytes() / sizeof(double), seed,
        nullptr);
}

void copy_from(const buffer& to, const buffer& from, const std::string& by, std::size_t first,
               std::size_t count) {
    const processor who = accessing(to, by);
    memory::require_access(from.memory->kind(), who);
    const std::size_t length = std::min(to.memory->bytes(), from.memory->bytes()) / sizeof(double);
    if (first > length || count > length - first)
        throw usage_error("copy_from: the range is longer than the buffers");
    kernels_on<measure::copy_kernels>(who).copy(
        static_cast<double*>(to.memory->data()) + first,
        static_cast<const double*>(from.memory->data()) + first, count, nullptr);
    memory::wait(who);
}

/// Writes elements of `type` (`i1` to `i8`, `f4`, `f8`) by a rule of measure::values.
void fill_values(const buffer& b, const std::string& by, const std::string& type,
                 const std::string& rule, std::uint64_t limit, double constant,
                 std::uint64_t seed) {
    using measure::element_type, measure::value_rule;
    constexpr static word<value_rule> value_rules[] = {{"fraction", value_rule::fraction},
                                                       {"below", value_rule::below},
                                                       {"ascending", value_rule::ascending},
                                                       {"constant", value_rule::constant}};
    constexpr static word<element_type> element_types[] = {
        {"i1", element_type::integer_1},    {"i2", element_type::integer_2},
        {"i4", element_type::integer_4},    {"i8", element_type::integer_8},
        {"f4", element_type::single_float}, {"f8", element_type::double_float}};
    const processor who = accessing(b, by);
    const measure::values what{looked_up(rule, value_rules), std::max<std::uint64_t>(limit, 1),
                               constant, seed};
    const element_type element = looked_up(type, element_types);
    const auto bytes = static_cast<std::size_t>(type.back() - '0');
    kernels_on<measure::value_kernels>(who).fill(b.memory->data(), b.memory->bytes() / bytes,
                                                 element, what, nullptr);
    memory::wait(who);
}

void take(const buffer& to, const buffer& from) {
    if (to.memory->bytes() != from.memory->bytes())
        throw usage_error("take: the buffers differ in size");
    device::read_back(to.memory->data(), from.memory->data(), from.memory->bytes(), nullptr);
}

void copy_in(const buffer& to, std::uintptr_t address, std::size_t bytes) {
    if (bytes > to.memory->bytes()) throw usage_error("more bytes than the buffer holds");
    const processor who =
        to.memory->kind().cpu_can_address ? the_cpu : gpu_number(to.memory->device());
    memory::copy_now(who, to.memory->data(), reinterpret_cast<const void*>(address), bytes);
}

nb::dict kind_row(const memory::kind_row& kind) {
    nb::dict row;
    row["name"] = as_text(kind.name);
    row["cpu"] = kind.cpu_can_address;
    row["gpu"] = kind.gpu_can_address;
    row["shared"] = kind.shared;
    row["needs"] = as_text(kind.needs);
    return row;
}

}  // namespace

static void bind_memory(nb::module_& module) {
    module.attr("MEMORY_KINDS") = list_of(memory::kinds(), kind_row);
    module.attr("HINTS") =
        list_of(memory::hints(), [](const auto& hint) { return as_text(hint.first); });
    nb::class_<buffer>(module, "Buffer", "Memory of one kind; pages are untouched at first.")
        .def("__init__", make, nb::arg("kind"), nb::arg("size"), nb::arg("device") = 0,
             nb::arg("oversubscribe") = false, unlocked(),
             "`size` bytes of memory of `kind`. Raises UnsupportedError, BeyondMemoryError.")
        .def_prop_ro(
            "size", [](const buffer& b) { return b.memory->bytes(); }, "Bytes.")
        .def_prop_ro(
            "kind", [](const buffer& b) { return std::string(b.memory->kind().name); },
            "Its kind's name.")
        .def_prop_ro(
            "shared", [](const buffer& b) { return b.memory.use_count() > 1; },
            "Whether arrays still view the memory.")
        .def_prop_ro(
            "address",
            [](const buffer& b) { return reinterpret_cast<std::uintptr_t>(b.memory->data()); },
            "Its first byte.")
        .def_prop_ro(
            "on_cpu", [](const buffer& b) { return b.memory->kind().cpu_can_address; },
            "Whether the CPU can address it.")
        .def("copy_in", copy_in, nb::arg("address"), nb::arg("bytes"), unlocked(),
             "Copies bytes from an address of the CPU.")
        .def("bytes", bytes, "The memory as a NumPy array of uint8; no copy.")
        .def_prop_ro(
            "dlpack_device",
            [](const buffer& b) {
                const int type = device_type(b.memory->kind().kind);
                return std::pair(type, type == nb::device::cpu::value ? 0 : b.memory->device());
            },
            "DLPack's number of the kind of device, and the number of the device.")
        .def("exported", exported, nb::arg("dtype"), nb::arg("shape"), nb::arg("on") = nb::none(),
             "The memory as an object with __dlpack__: (code, bits) of an element, shape, DLPack's "
             "number of a "
             "device; no copy.")
        .def("array", view, "The memory as doubles: NumPy, or DLPack for device memory; no copy.")
        .def("residency", residency, nb::arg("all_touched") = true,
             "Bytes by side, as the operating system reports.")
        .def("advise", advise, nb::arg("hint"), nb::arg("gpu") = "gpu", unlocked(),
             "Gives a hint to the driver.")
        .def("prefetch", prefetch, nb::arg("to"), unlocked(),
             "Moves the memory to a processor, and waits.")
        .def("fill", fill, nb::arg("by"), nb::arg("seed") = 1, unlocked(),
             "Writes the pattern of a seed: the first touch.")
        .def("mismatches", mismatches, nb::arg("by"), nb::arg("seed") = 1, unlocked(),
             "Doubles that are not the pattern of a seed.")
        .def("fill_values", fill_values, nb::arg("by"), nb::arg("type"), nb::arg("rule"),
             nb::arg("limit") = 1, nb::arg("constant") = 0.0, nb::arg("seed") = 1, unlocked(),
             "Writes elements by a rule of measure/values.hpp: the first touch.")
        .def("take", take, nb::arg("source"), unlocked(),
             "Copies a buffer of the same size by the copy engine, and waits.")
        .def("copy_from", copy_from, nb::arg("source"), nb::arg("by"), nb::arg("first"),
             nb::arg("count"), unlocked(),
             "Copies doubles [first, first + count) with the kernel that the cases time.");
    module.def(
        "unsupported",
        [](const std::string& kind, int device) { return memory::row(kind).unsupported(device); },
        nb::arg("kind"), nb::arg("device") = 0,
        "Why a kind of memory is not here; empty if it is.");
}

static const binding memory_bindings(bind_memory);
