// View factors: rays over the map of heights, reciprocity, the file that keeps them, the sun.
#include "../../native/radiation/sunlight.hpp"
#include "../../native/radiation/view_file.hpp"
#include "radiant_city.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace watari::les {
namespace {

/// The first cell between the walls.
constexpr std::uint32_t low_of(std::size_t n) { return static_cast<std::uint32_t>(3 * n); }

/// Two walls of n x n facets, n cells apart, that face each other along x; a fence hides their
/// periodic images.
parameters facing_walls(std::size_t n) {
    parameters p = city_of({8 * n, 8 * n, 4 * n}, 1);
    const std::size_t low = low_of(n), high = low + n;
    raise(p, {0, 1}, {0, 8 * n}, 2 * n);
    raise(p, {0, 8 * n}, {0, 1}, 2 * n);
    for (const std::size_t i : {low - 1, high}) raise(p, {i, i + 1}, {low, high}, n);
    return p;
}

/// Rays of n x n facets, numbered along `fast`, that hit facets for which `counts` holds.
template <class Place, class Counts>
std::size_t hits_of(const parameters& p, std::size_t n, std::size_t rays, const Place& place,
                    const Counts& counts) {
    const facet_list facets(p);
    const ray_tracer tracer(p, facets);
    const auto points = sobol_points(rays);
    std::vector<std::uint32_t> hit;
    std::size_t sum = 0;
    for (std::uint32_t f = 0; f < n * n; ++f) {
        const auto fast = static_cast<std::uint32_t>(f % n),
                   slow = static_cast<std::uint32_t>(f / n);
        tracer.hits(place(fast, slow), points, shift_of(f), hit);
        for (const std::uint32_t other : hit) sum += counts(facets[other]);
    }
    return sum;
}

std::size_t opposite(std::uint32_t n, std::size_t rays) {
    const auto place = [n](std::uint32_t fast, std::uint32_t slow) {
        return facet_place{static_cast<unsigned>(facing::plus_x), slow, low_of(n) + fast,
                           low_of(n)};
    };
    return hits_of(facing_walls(n), n, rays, place, [n](const facet_place& f) {
        return f.direction == static_cast<unsigned>(facing::minus_x) && f.i == low_of(n) + n - 1;
    });
}

/// From the ground beside a wall.
std::size_t perpendicular(std::uint32_t n, std::size_t rays) {
    const auto place = [n](std::uint32_t fast, std::uint32_t slow) {
        return facet_place{0, 0, low_of(n) + slow, low_of(n) + fast};
    };
    return hits_of(facing_walls(n), n, rays, place, [n](const facet_place& f) {
        return f.direction == static_cast<unsigned>(facing::plus_x) && f.i == low_of(n);
    });
}

TEST(LesViews, ShiftsOfTheFirstFacet) {
    EXPECT_EQ(shift_of(0), (point{0x58f54975, 0xd25b73e6, 0xcaffe390, 0xe4605623}));
}

TEST(LesViews, RaysBetweenSquaresHitAsOftenAsElsewhere) {
    struct golden {
        std::uint32_t n;
        std::size_t rays, opposite, perpendicular;
    };
    // by another program, in NumPy
    for (const golden& of : {golden{1, 256, 52, 49},
                             {4, 256, 815, 816},
                             {8, 256, 3276, 3255},
                             {1, 1024, 209, 201},
                             {4, 1024, 3278, 3283},
                             {8, 1024, 13102, 13115}}) {
        EXPECT_NEAR(double(opposite(of.n, of.rays)), double(of.opposite), 1) << of.n;
        EXPECT_NEAR(double(perpendicular(of.n, of.rays)), double(of.perpendicular), 1) << of.n;
    }
}

TEST(LesViews, SquaresHaveTheirExactViewFactors) {
    const double all = 8 * 8 * 1024;
    EXPECT_NEAR(double(opposite(8, 1024)) / all, 0.1998249, 0.002 * 0.1998249 * 3);
    EXPECT_NEAR(double(perpendicular(8, 1024)) / all, 0.2000438, 0.002 * 0.2000438 * 3);
}

bool is_wall(const facet_place& f) { return f.direction > 0; }
bool is_ground(const facet_place& f) { return f.direction == 0 && f.k == 0; }

/// The area-weighted mean of a part's view of another part, or of the sky if `to` is null.
double view(const view_factors& views, const facet_list& facets, bool (*from)(const facet_place&),
            bool (*to)(const facet_place&)) {
    double sum = 0, area = 0;
    for (std::size_t n = 0; n < facets.count(); ++n) {
        if (!from(facets[n])) continue;
        area += views.area[n];
        if (to == nullptr) sum += double(views.area[n]) * views.sky[n];
        for (std::size_t at = views.first[n]; to != nullptr && at < views.first[n + 1]; ++at)
            if (to(facets[views.column.data()[at]])) sum += views.shared.data()[at];
    }
    return sum / area;
}

TEST(LesViews, StreetsAgreeWithHottel) {
    for (const auto& [width, height] : {std::pair{16u, 8u}, {16u, 16u}, {16u, 32u}}) {
        const parameters p = street(width, height, 16);
        const facet_list facets(p);
        const view_factors views = trace_views(p, facets);
        const double w = width, h = height;
        const double walls = std::sqrt(1 + w * w / (h * h)) - w / h;
        const double sky = std::sqrt(1 + h * h / (w * w)) - h / w;
        EXPECT_NEAR(view(views, facets, is_wall, is_wall), walls, 0.004 * walls) << h / w;
        EXPECT_NEAR(view(views, facets, is_ground, nullptr), sky, 0.004 * sky) << h / w;
    }
}

TEST(LesViews, SameBitsOnAnyNumberOfThreads) {
    const parameters p = two_blocks();
    expect_same_views_on_threads(p, facet_list(p));
}

TEST(LesViews, FacetsSeeEachOtherAlikeAndTheSkyIsTheRest) {
    const parameters p = two_blocks();
    const facet_list facets(p);
    const view_factors views = trace_views(p, facets);
    std::vector<std::uint64_t> next(views.first);
    std::size_t pairs = 0;
    double least = 1;
    for (std::size_t i = 0; i < views.facets(); ++i) {
        least = std::min(least, double(views.sky[i]));
        for (std::size_t at = views.first[i]; at < views.first[i + 1]; ++at) {
            const std::uint32_t j = views.column.data()[at];
            // ascending rows meet the columns of row j in order
            ASSERT_EQ(views.column.data()[next[j]], i);
            ASSERT_EQ(views.shared.data()[next[j]++], views.shared.data()[at]);
            ++pairs;
        }
    }
    EXPECT_GT(pairs, 100 * 300u);
    EXPECT_GT(least, -1e-4);
    for (std::size_t n = 0; n < views.facets(); ++n)  // the tallest roof sees sky alone
        if (facets[n].direction == 0 && facets[n].k == 9) {
            EXPECT_EQ(views.sky[n], 1);
        }
}

TEST(LesViews, AFlatCityHasNoNonzeros) {
    const parameters p = city_of({8, 8, 8}, 2);
    const view_factors views = trace_views(p, facet_list(p));
    EXPECT_EQ(views.nonzeros(), 0u);
    EXPECT_EQ(views.sky, std::vector<float>(64, 1));
}

class LesViewFile : public testing::Test {
protected:
    LesViewFile() : folder(testing::TempDir() + "watari_views_" + std::to_string(getpid())) {
        std::filesystem::create_directories(folder);
        path = folder + "/" + view_file_name(p);
    }
    ~LesViewFile() override { std::filesystem::remove_all(folder); }

    const parameters p = two_blocks();
    const facet_list facets{p};
    std::string folder, path;
};

TEST_F(LesViewFile, ComesBackAsItWas) {
    const view_factors views = trace_views(p, facets);
    EXPECT_FALSE(read_views(path, p, facets));
    write_views(path, views, p);
    const auto back = read_views(path, p, facets);
    ASSERT_TRUE(back);
    EXPECT_TRUE(same(views, *back));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);  // none partial
}

TEST_F(LesViewFile, IsOfOneCityAndOneNumberOfRays) {
    write_views(path, trace_views(p, facets), p);
    parameters other = p;
    other.heights[0] = 1;
    EXPECT_NE(view_file_name(other), view_file_name(p));
    EXPECT_NE(view_file_name(p, 512), view_file_name(p));
    EXPECT_FALSE(read_views(path, other, facet_list(other)));
    EXPECT_FALSE(read_views(path, p, facets, 512));
}

TEST_F(LesViewFile, IsNotReadIfAByteIsDamagedOrMissing) {
    write_views(path, trace_views(p, facets), p);
    const auto bytes = std::filesystem::file_size(path);
    for (const std::uintmax_t at :
         {std::uintmax_t{3}, std::uintmax_t{60}, std::uintmax_t{90}, bytes / 2, bytes - 1}) {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(static_cast<std::streamoff>(at));
        const char before = static_cast<char>(file.get());
        const auto put = [&](char c) {
            file.seekp(static_cast<std::streamoff>(at));
            file.put(c);
            file.flush();
        };
        put(static_cast<char>(before ^ 0x10));
        EXPECT_FALSE(read_views(path, p, facets)) << at;
        put(before);
    }
    EXPECT_TRUE(read_views(path, p, facets));
    std::filesystem::resize_file(path, bytes - 1);
    EXPECT_FALSE(read_views(path, p, facets));
}

TEST(LesSun, AShadowIsAsLongAsTheTangentSays) {
    parameters p = city_of({64, 8, 16}, 1);  // a wall along y, 8 cells high
    raise(p, {40, 41}, {0, 8}, 8);
    const facet_list facets(p);
    const auto light = direct_light(p, facets, {30, 90});  // from the east
    std::size_t dark = 0;
    for (std::size_t n = 0; n < facets.count(); ++n) {
        const facet_place f = facets[n];
        if (is_ground(f) && f.j == 3) dark += light[n] < 0.25f;
        if (f.direction == static_cast<unsigned>(facing::plus_x)) {
            EXPECT_NEAR(light[n], std::cos(std::numbers::pi / 6), 1e-6);
        }
        if (f.direction == static_cast<unsigned>(facing::minus_x)) {
            EXPECT_EQ(light[n], 0);
        }
        if (f.direction == 0 && f.k == 8) {
            EXPECT_NEAR(light[n], 0.5, 1e-6);
        }
    }
    EXPECT_NEAR(double(dark), 8 / std::tan(std::numbers::pi / 6), 1);
}

TEST(LesSun, FlatGroundHasNoShadowAndNightNoLight) {
    const parameters p = city_of({16, 16, 8}, 1);
    for (const float lit : direct_light(p, facet_list(p), {5, 250}))
        EXPECT_NEAR(lit, std::sin(5 * std::numbers::pi / 180), 1e-6);
    for (const float lit : direct_light(p, facet_list(p), {-1, 250})) EXPECT_EQ(lit, 0);
}

}  // namespace
}  // namespace watari::les
