// The cells nearest to a cell, and those a little farther off, found in its row of distances.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace palmette::oblivious {

struct Neighbour {
    std::uint32_t cell;
    std::uint32_t distance;
};

constexpr std::uint32_t nobody = 0xffffffff;

/// Finds all cells with samples that are at most `reach` farther from `self` than the nearest of them. `nearest` is
/// the distance of the nearest if it is known (0: the cell itself has samples left), else `nobody`. Returns it.
template <class Distance>
std::uint32_t find_nearest(const Distance* row, std::size_t n_cells, std::size_t self,
                           const std::vector<std::uint32_t>& n_samples, std::uint32_t nearest, std::uint32_t reach,
                           std::vector<Neighbour>& found) {
    // Most blocks hold nobody near enough, and the least of a block is found many cells at a time.
    constexpr std::size_t block = 64;
    found.clear();
    std::uint64_t limit = std::uint64_t{nearest} + reach;
    for (std::size_t begin = 0; begin < n_cells; begin += block) {
        const std::size_t end = std::min(n_cells, begin + block);
        Distance least = row[begin];
        if (end - begin == block)
            for (std::size_t i = 0; i < block; ++i) least = std::min(least, row[begin + i]);
        else
            for (std::size_t i = begin; i < end; ++i) least = std::min(least, row[i]);
        if (least > limit) continue;
        for (std::size_t other = begin; other < end; ++other) {
            const std::uint32_t distance = row[other];
            if (distance > limit || other == self || n_samples[other] == 0) continue;
            if (distance < nearest) {
                nearest = distance;
                limit = std::uint64_t{nearest} + reach;
            }
            found.push_back({static_cast<std::uint32_t>(other), distance});
        }
    }
    std::erase_if(found, [limit](const Neighbour& neighbour) { return neighbour.distance > limit; });
    return nearest;
}

}  // namespace palmette::oblivious
