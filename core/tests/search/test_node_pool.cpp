#include "../../src/search/node_pool.hpp"

#include <cstring>
#include <utility>
#include <vector>

#include "check.hpp"
#include "problems.hpp"

using namespace palmette;

TEST_CASE("pieces of a pool do not overlap, and what is given back is counted") {
    NodePool pool;
    problems::Random random(3);
    struct Piece {
        unsigned char* first;
        std::size_t size;
        unsigned char mark;
    };
    std::vector<Piece> pieces;
    for (int round = 0; round < 20000; ++round) {
        if (pieces.size() < 400 && random.chance(0.55)) {
            const auto size =
                static_cast<std::size_t>(random.chance(0.02) ? random.integer(16000, 90000) : random.integer(1, 700));
            auto* first = pool.allocate<unsigned char>(size);
            const auto mark = static_cast<unsigned char>(random.integer(0, 255));
            std::memset(first, mark, size);
            pieces.push_back({first, size, mark});
        } else if (!pieces.empty()) {
            const auto i = static_cast<std::size_t>(random.integer(0, static_cast<int>(pieces.size()) - 1));
            const Piece piece = std::exchange(pieces[i], pieces.back());
            pieces.pop_back();
            bool intact = true;
            for (std::size_t j = 0; j < piece.size; ++j) intact = intact && piece.first[j] == piece.mark;
            CHECK(intact);
            pool.release(piece.first, piece.size);
        }
        CHECK(pool.bytes_in_use() <= pool.peak_bytes());
    }
    for (const Piece& piece : pieces) pool.release(piece.first, piece.size);
    CHECK_EQ(pool.bytes_in_use(), std::size_t{0});
    CHECK(pool.allocate<int>(0) == nullptr);
}

TEST_CASE("a pool does not grow while what was given back has room") {
    NodePool pool;
    std::vector<std::byte*> pieces;
    const auto fill = [&](std::size_t size, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) pieces.push_back(pool.allocate<std::byte>(size));
    };
    const auto empty = [&](std::size_t size) {
        for (std::byte* piece : pieces) pool.release(piece, size);
        pieces.clear();
    };
    fill(10000, 400);
    const std::size_t peak = pool.peak_bytes();
    empty(10000);
    for (const std::size_t size : {5000, 1000, 300, 48}) {
        fill(size, 3600000 / size);
        CHECK_EQ(pool.peak_bytes(), peak);
        empty(size);
    }
}

TEST_CASE("pieces that were given back become large ones again") {
    NodePool pool;
    std::vector<std::byte*> small, large;
    for (int i = 0; i < 40000; ++i) small.push_back(pool.allocate<std::byte>(100));
    const std::size_t held = pool.bytes_held();
    for (std::size_t i = 0; i < small.size(); ++i)
        if (i % 10000 != 0) pool.release(small[i], 100);  // a few stay, and keep what they hold
    for (std::size_t i = 0; i < small.size(); i += 10000) std::memset(small[i], 7, 100);
    pool.coalesce();
    for (int i = 0; i < 90; ++i) {
        large.push_back(pool.allocate<std::byte>(40000));
        std::memset(large.back(), 1, 40000);
    }
    CHECK_EQ(pool.bytes_held(), held);
    for (std::size_t i = 0; i < small.size(); i += 10000)
        for (int j = 0; j < 100; ++j) CHECK(small[i][j] == std::byte{7});
    for (std::byte* piece : large) pool.release(piece, 40000);
    for (std::size_t i = 0; i < small.size(); i += 10000) pool.release(small[i], 100);
    CHECK_EQ(pool.bytes_in_use(), std::size_t{0});
}

TEST_CASE("pieces that moved are intact, and what was left behind is used again") {
    NodePool pool;
    constexpr std::size_t size = 300, large = 700000;
    std::vector<std::byte*> kept;
    std::size_t held_at_first = 0;
    for (int round = 0; round < 20; ++round) {
        std::vector<std::byte*> moved;
        pool.begin_move();
        CHECK_EQ(pool.bytes_in_use(), std::size_t{0});
        for (std::size_t i = 0; i < kept.size(); ++i) {
            const std::size_t bytes = i % 100 == 0 ? large : size;
            moved.push_back(pool.allocate<std::byte>(bytes));
            std::memcpy(moved.back(), kept[i], bytes);
        }
        pool.end_move();
        for (const std::byte* piece : moved) CHECK(piece[0] == std::byte{7} && piece[size - 1] == std::byte{7});
        kept.clear();
        for (int i = 0; i < 20000; ++i) {
            const std::size_t bytes = i % 10000 == 0 ? large : size;
            std::byte* piece = pool.allocate<std::byte>(bytes);
            std::memset(piece, i % 100 == 0 ? 7 : 1, bytes);
            if (i % 100 == 0) kept.push_back(piece);
        }
        for (std::size_t i = 0; i < moved.size(); ++i)
            CHECK(moved[i][0] == std::byte{7} && moved[i][size - 1] == std::byte{7});
        if (round == 1) held_at_first = pool.bytes_held();
    }
    CHECK_EQ(pool.bytes_held(), held_at_first);
    CHECK(pool.bytes_spare() > 0);
}
