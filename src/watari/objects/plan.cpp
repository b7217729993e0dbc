#include "watari/objects/plan.hpp"

#include <algorithm>

namespace watari::objects {

std::vector<planned_read> plan_reads(std::span<const range> ranges, std::size_t longest) {
    std::vector<planned_read> result;
    for (const range& each : ranges) {
        for (std::size_t done = 0; done < each.into.size();) {
            const std::uint64_t offset = each.offset + done;
            if (result.empty() || result.back().bytes == longest ||
                result.back().offset + result.back().bytes != offset)
                result.push_back({offset, 0, {}});
            planned_read& last = result.back();
            const std::size_t some = std::min(each.into.size() - done, longest - last.bytes);
            last.into.push_back({each.into.data() + done, some});
            last.bytes += some;
            done += some;
        }
    }
    return result;
}

}  // namespace watari::objects
