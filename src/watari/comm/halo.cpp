#include "watari/comm/halo.hpp"

#include "watari/memory/move.hpp"

namespace watari::comm {

namespace {

struct row {
    path which;
    std::string_view name;
    bool on_cpu;
    bool by_host;
    std::unique_ptr<carrier> (*make)(const halo_options& options);
};

constexpr row table[] = {{path::staged, "staged", true, true, make_staged},
                         {path::device, "device", false, true, make_device},
                         {path::nccl, "nccl", false, false, make_nccl},
                         {path::peer, "peer", false, false, make_peer}};

const row& row_of(path which) { return table[static_cast<std::size_t>(which)]; }

std::unique_ptr<carrier> made(path which, const halo_options& options) {
    const row& r = row_of(which);
    options.ranks->together([&] {
        if (!options.who.is_gpu() && !r.on_cpu)
            throw unsupported("halo=" + std::string(r.name) +
                              " is between GPUs; CPU memory goes by halo=staged");
    });
    return r.make(options);
}

bool is_own_neighbour(const decomposition& part, const faces& f) {
    return f.ranks[0] == part.rank && f.ranks[1] == part.rank;
}

}  // namespace

std::string_view name_of(path which) { return row_of(which).name; }

path path_named(const std::string& name) {
    for (const row& r : table)
        if (r.name == name) return r.which;
    throw usage_error("no such halo path: " + name);
}

halo::halo(path which, const halo_options& options)
    : options_(options), by_host_(row_of(which).by_host), carrier_(made(which, options)) {
    for (const faces& f : part().axes)
        if (is_own_neighbour(part(), f) && !own_)
            own_.emplace(options, memory::local_kind(options.who));
    warm_up();
    seconds();
}

void halo::warm_up() {
    const memory::buffer<float> few(options_.field, 16, {.device = options_.who.number});
    const field array{few.data(), sizeof(float)};
    for (std::size_t axis = most_axes; axis-- > 0;) {
        faces f = part().axes[axis];
        const std::size_t stride = f.contiguous() ? 1 : 2;
        f.loops = {};
        f.loops[2] = {2, stride};
        for (const std::size_t side : {0, 1})
            f.inner[side] = 4 * side, f.outer[side] = 8 + 4 * side;
        if (f.shared()) exchange(f, fields(options_.who, std::span(&array, 1)), nullptr);
    }
    memory::wait(options_.who);
}

void halo::exchange(const message& m, stream_t stream) {
    for (std::size_t axis = most_axes; axis-- > 0;)
        if (part().axes[axis].shared()) exchange(part().axes[axis], m, stream);
}

void halo::exchange(std::span<const field> arrays, stream_t stream) {
    exchange(fields(options_.who, arrays), stream);
}

void halo::exchange(const faces& f, const message& m, stream_t stream) {
    if (m.bytes(f) > face_bytes(options_))
        throw usage_error("a message of " + bytes_text(m.bytes(f)) + " along axis " +
                          std::to_string(f.axis) + ", where the halo was made for " +
                          bytes_text(face_bytes(options_)));
    if (!is_own_neighbour(part(), f)) return carrier_->exchange(f, m, stream);
    m.pack(f, own_->own, stream);
    m.unpack(f, {own_->own[1], own_->own[0]}, stream);  // the plane sent up arrives from below
}

double halo::seconds() {
    const double before = reported_;
    reported_ = carrier_->seconds();
    return reported_ - before;
}

}  // namespace watari::comm
