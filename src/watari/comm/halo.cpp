#include "watari/comm/halo.hpp"

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

}  // namespace

std::string_view name_of(path which) { return row_of(which).name; }

path path_named(const std::string& name) {
    for (const row& r : table)
        if (r.name == name) return r.which;
    throw usage_error("no such halo path: " + name);
}

halo::halo(path which, const halo_options& options)
    : part_(options.part), by_host_(row_of(which).by_host), carrier_(made(which, options)) {
    warm_up(options);
    seconds();
}

void halo::warm_up(const halo_options& options) {
    const memory::buffer<float> few(options.field, 16, {.device = options.who.number});
    for (std::size_t axis = 3; axis-- > 0;) {
        faces f = part_.axes[axis];
        f.row_stride = f.contiguous() ? 1 : 2;
        f.rows = 2, f.columns = 1, f.column_stride = 1;
        for (const std::size_t side : {0, 1})
            f.inner[side] = 4 * side, f.outer[side] = 8 + 4 * side;
        if (f.shared()) carrier_->exchange(f, few.data(), nullptr);
    }
    if (options.who.is_gpu()) device::synchronize(nullptr);
}

void halo::exchange(float* field, stream_t stream) {
    for (std::size_t axis = 3; axis-- > 0;)
        if (part_.axes[axis].shared()) carrier_->exchange(part_.axes[axis], field, stream);
}

double halo::seconds() {
    const double before = reported_;
    reported_ = carrier_->seconds();
    return reported_ - before;
}

}  // namespace watari::comm
