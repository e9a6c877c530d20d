// Random streams: known values, ranges, and streams that differ by their place.

#include <set>
#include <vector>

#include "check.hpp"
#include "palmette/support/random.hpp"

using namespace palmette;

TEST_CASE("the stream of key 0 is SplitMix64 from seed 0") {
    RandomStream stream(0);
    CHECK_EQ(stream.next(), 0xe220a8397b1dcdafULL);
    CHECK_EQ(stream.next(), 0x6e789e6aa1b965f4ULL);
    CHECK_EQ(stream.next(), 0x06c45d188009454fULL);
}

TEST_CASE("a stream depends on its key and on nothing else") {
    RandomStream one(7), other(7);
    for (int i = 0; i < 100; ++i) CHECK_EQ(one.next(), other.next());
}

TEST_CASE("streams of different keys, and of different children, differ") {
    std::set<std::uint64_t> first;
    for (std::uint64_t key = 0; key < 500; ++key) first.insert(RandomStream(key).next());
    CHECK_EQ(first.size(), std::size_t{500});
    const RandomStream parent(42);
    for (std::uint64_t number = 0; number < 500; ++number) {
        first.insert(parent.child(number).next());
        first.insert(parent.child(number).child(0).next());
        first.insert(parent.child(number).child(1).next());
    }
    CHECK_EQ(first.size(), std::size_t{2000});
}

TEST_CASE("a child does not depend on what its siblings drew") {
    const RandomStream parent(3);
    RandomStream sibling = parent.child(0);
    sibling.next();
    CHECK_EQ(parent.child(1).next(), RandomStream(3).child(1).next());
}

TEST_CASE("below stays below, and visits everything about equally often") {
    RandomStream stream(1);
    for (const std::uint64_t bound : {1ULL, 2ULL, 3ULL, 10ULL, 1000003ULL, 1ULL << 63, ~0ULL})
        for (int i = 0; i < 1000; ++i) CHECK(stream.below(bound) < bound);
    std::vector<int> hits(10, 0);
    for (int i = 0; i < 100000; ++i) ++hits[stream.below(10)];
    // 6 standard deviations of a binomial count with mean 10 000.
    for (const int count : hits) CHECK(count > 9430 && count < 10570);
}
