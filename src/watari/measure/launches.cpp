#include "watari/measure/launches.hpp"

#include "watari/measure/sampler.hpp"

namespace watari::measure {

trial sample_launches(const repeated_launch& launch, processor gpu, std::size_t samples) {
    trial result;
    sampler sample(result, gpu);
    for (std::size_t i = 0; i < samples; ++i)
        sample([&](stream_t stream, int) {
            launch.kernel->launch(launch.shape, launch.arguments, stream);
        });
    return result;
}

}  // namespace watari::measure
