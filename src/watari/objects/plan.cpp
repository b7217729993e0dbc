#include "watari/objects/plan.hpp"

#include <algorithm>

namespace watari::objects {

namespace {

void add(planned_read& to, std::byte* place, std::size_t bytes) {
    if (!to.into.empty() && place) {
        iovec& last = to.into.back();
        if (last.iov_base && static_cast<std::byte*>(last.iov_base) + last.iov_len == place) {
            last.iov_len += bytes;
            to.bytes += bytes;
            return;
        }
    }
    to.into.push_back({place, bytes});
    to.bytes += bytes;
}

}  // namespace

std::vector<planned_read> plan_reads(std::span<const range> ranges, std::size_t longest,
                                     std::size_t gap) {
    std::vector<range> sorted(ranges.begin(), ranges.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const range& a, const range& b) { return a.offset < b.offset; });
    std::vector<planned_read> result;
    const auto end_of = [&](std::size_t i) { return result[i].offset + result[i].bytes; };
    std::size_t open = 0;  // the request that ends last: ranges may overlap
    for (const range& each : sorted) {
        std::size_t at = open;
        for (std::size_t done = 0; done < each.into.size();) {
            const std::uint64_t offset = each.offset + done;
            const std::size_t left = each.into.size() - done;
            if (result.empty() ||
                !continues(end_of(at), longest - result[at].bytes, offset, left, gap)) {
                at = result.size();
                result.push_back({offset, 0, {}});
            }
            if (const std::size_t between = offset - end_of(at); between > 0)
                add(result[at], nullptr, between);
            const std::size_t some = std::min(left, longest - result[at].bytes);
            add(result[at], each.into.data() + done, some);
            done += some;
        }
        if (!result.empty() && end_of(at) >= end_of(open)) open = at;
    }
    return result;
}

}  // namespace watari::objects
