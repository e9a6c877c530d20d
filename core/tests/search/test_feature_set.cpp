#include "palmette/search/feature_set.hpp"

#include <set>
#include <vector>

#include "check.hpp"
#include "problems.hpp"

using namespace palmette;

namespace {

template <std::size_t Words>
std::set<std::size_t> elements(const FeatureSet<Words>& set) {
    std::set<std::size_t> found;
    set.for_each([&](std::size_t element) { found.insert(element); });
    return found;
}

}  // namespace

TEST_CASE("a feature set is a set") {
    problems::Random random(1);
    for (int round = 0; round < 200; ++round) {
        FeatureSet<4> a, b;
        std::set<std::size_t> in_a, in_b;
        for (int i = 0; i < 60; ++i) {
            const auto element = static_cast<std::size_t>(random.integer(0, 255));
            if (random.chance(0.5)) {
                a.insert(element);
                in_a.insert(element);
            } else {
                b.insert(element);
                in_b.insert(element);
            }
            if (random.chance(0.2)) {
                a.erase(element);
                in_a.erase(element);
            }
        }
        CHECK(elements(a) == in_a);
        CHECK_EQ(a.size(), in_a.size());
        std::set<std::size_t> both = in_a, common, rest;
        both.insert(in_b.begin(), in_b.end());
        for (const std::size_t element : in_a) (in_b.contains(element) ? common : rest).insert(element);
        CHECK(elements(a | b) == both);
        CHECK(elements(a & b) == common);
        CHECK(elements(a - b) == rest);
        CHECK_EQ(a.intersects(b), !common.empty());
        CHECK_EQ(a.is_subset_of(b), rest.empty());
        CHECK((a & b).is_subset_of(a));
        CHECK((a - a).empty());
    }
}

TEST_CASE("the narrowest feature set that holds the problem is taken") {
    const auto width = [](std::size_t n) {
        return with_feature_set(n, []<std::size_t Words>() { return FeatureSet<Words>::capacity; });
    };
    CHECK_EQ(width(1), std::size_t{64});
    CHECK_EQ(width(64), std::size_t{64});
    CHECK(width(65) >= 65);
    CHECK(width(most_searched_units) >= most_searched_units);
    CHECK_THROWS_AS(width(most_searched_units + 1), std::invalid_argument);
}
