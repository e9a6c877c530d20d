// The arena: fresh, aligned memory that keeps its place, in chunks or beyond them.

#include <cstdint>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "palmette/support/arena.hpp"

using namespace palmette;

TEST_CASE("objects of an arena are value-initialised, aligned, and never overlap") {
    Arena arena;
    std::vector<std::uint64_t*> all;
    for (std::size_t i = 0; i < 5000; ++i) {
        const std::size_t count = i % 37 + 1;
        auto* numbers = arena.make<std::uint64_t>(count);
        CHECK_EQ(reinterpret_cast<std::uintptr_t>(numbers) % alignof(std::uint64_t), std::uintptr_t{0});
        for (std::size_t k = 0; k < count; ++k) {
            CHECK_EQ(numbers[k], std::uint64_t{0});
            numbers[k] = i * 100 + k;
        }
        all.push_back(numbers);
        *arena.make<char>(1) = 'x';  // what comes next is not aligned by chance
    }
    bool kept = true;
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t k = 0; k < i % 37 + 1; ++k) kept = kept && all[i][k] == i * 100 + k;
    CHECK(kept);
}

TEST_CASE("an object larger than a chunk gets its own") {
    Arena arena;
    auto* small = arena.make<char>(1);
    *small = 'a';
    auto* large = arena.make<char>(std::size_t{1} << 20);
    large[0] = 'b';
    large[(std::size_t{1} << 20) - 1] = 'c';
    auto* after = arena.make<char>(1);
    *after = 'd';
    CHECK_EQ(*small, 'a');
    CHECK_EQ(large[0], 'b');
    CHECK_EQ(large[(std::size_t{1} << 20) - 1], 'c');
    CHECK_EQ(*after, 'd');
}

TEST_CASE("an arena tells the bytes that it holds, and a small one holds few") {
    Arena arena;
    CHECK_EQ(arena.nbytes(), std::size_t{0});
    for (std::size_t made = 8; made <= 1 << 16; made += 8) {
        arena.make<std::uint64_t>(1);
        CHECK(arena.nbytes() >= made && arena.nbytes() <= 2 * made + 2048);
    }
}

TEST_CASE("no objects at all are fine, and a copy is a copy") {
    Arena arena;
    arena.make<int>(0);
    std::vector<int> numbers(1000);
    std::iota(numbers.begin(), numbers.end(), 0);
    const int* copied = arena.copy(numbers.data(), numbers.size());
    numbers[10] = -1;
    CHECK_EQ(copied[10], 10);
    CHECK_EQ(copied[999], 999);
}
