#include "watari/case/ranks.hpp"

#include "watari/core/device.hpp"

#include <vector>

namespace watari::cases {

using std::to_string;

void require_ranks(const std::string& split, std::size_t ranks, processor who,
                   const comm::communicator& all) {
    if (ranks != static_cast<std::size_t>(all.size()))
        throw usage_error("split " + split + " is for " + to_string(ranks) + " ranks, and " +
                          to_string(all.size()) + " are here: start them by mpirun -n " +
                          to_string(ranks));
    if (who.is_gpu() && who.number != 0)
        throw usage_error("processor=gpu:" + to_string(who.number) +
                          ": each of several ranks uses its own GPU; write processor=gpu");
}

processor own_processor(processor asked, const comm::communicator& all) {
    if (!asked.is_gpu()) return asked;
    all.together([&] {
        if (device::count() > 0 && device::count() < all.local_size())
            throw unsupported(to_string(all.local_size()) + " ranks on one host with " +
                              to_string(device::count()) + " GPUs: each rank needs its own");
        device::use(all.local_rank());
    });
    return gpu_number(all.local_rank());
}

void keep_slowest(measure::trial& of, const comm::communicator& all) {
    std::vector<double*> times;
    for (auto& [name, quantity] : of.quantities)
        if (quantity.unit == "s" && name != "loop") times.push_back(&quantity.value);
    std::vector<double> values;
    for (const double* time : times) values.push_back(*time);
    all.maximum(values);
    for (std::size_t n = 0; n < times.size(); ++n) *times[n] = values[n];
}

}  // namespace watari::cases
