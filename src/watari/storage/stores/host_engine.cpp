#include "watari/storage/stores/host_engine.hpp"

#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/memory/rows/rows.hpp"

#include <algorithm>
#include <optional>

namespace watari::storage {

namespace {

class host_engine final : public storage::engine {
public:
    host_engine(bool by_kernel, const storage::engine_options& options, std::byte* store)
        : engine(options), by_kernel_(by_kernel), store_(store) {
        device::use(options.who.number);
        stream_.emplace(device::priority::urgent);
    }

    void run(const storage::requests& list) override {
        device::use(options_.who.number);
        const double start = storage::now();
        for (std::size_t i = 0; i < list.offsets.size();) {
            const std::size_t rows = evenly_spaced(list.offsets.subspan(i));
            for (std::size_t part = 0; part < list.parts; ++part) move(list, i, rows, part);
            i += rows;
        }
        device::synchronize(stream_->get());
        seconds_.assign(list.offsets.size(), storage::now() - start);
    }

    void flush() override {}  // host memory has no more durable medium

private:
    /// Returns how many offsets, from the first on, are equally far apart.
    static std::size_t evenly_spaced(std::span<const std::uint64_t> offsets) {
        std::size_t count = std::min<std::size_t>(2, offsets.size());
        while (count < offsets.size() &&
               offsets[count] - offsets[count - 1] == offsets[1] - offsets[0])
            ++count;
        return count;
    }

    void move(const storage::requests& list, std::size_t first, std::size_t count,
              std::size_t part) {
        const std::size_t bytes = list.part_bytes();
        const std::size_t apart =
            count > 1 ? list.offsets[first + 1] - list.offsets[first] : list.block;
        const memory::rows here{list.location(first, part), bytes};
        const memory::rows there{store_ + list.offsets[first] + part * list.part_step(), apart};
        const bool reads = options_.direction == files::direction::read;
        const memory::rows &to = reads ? here : there, &from = reads ? there : here;
        if (by_kernel_)
            kernels_on<memory::row_kernels>(options_.who)
                .copy(to, from, count, bytes, stream_->get());
        else
            device::copy_rows(to.data, to.stride, from.data, from.stride, bytes, count,
                              stream_->get());
    }

    bool by_kernel_;
    std::byte* store_;
    std::optional<device::stream> stream_;
};

}  // namespace

void require_host_engine(const std::string& name, processor who) {
    if (!who.is_gpu()) throw unsupported("engine " + name + " copies to a GPU; processor=gpu");
    if (device::count() == 0) throw unsupported(device::absent_reason());
}

std::unique_ptr<storage::engine> make_host_engine(const std::string& name,
                                                  const storage::engine_options& options,
                                                  std::byte* store) {
    return std::make_unique<host_engine>(name == "managed", options, store);
}

}  // namespace watari::storage
