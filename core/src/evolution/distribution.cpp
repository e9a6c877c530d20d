#include "palmette/evolution/distribution.hpp"

#include <algorithm>
#include <tuple>

namespace palmette {

TreeDistribution::TreeDistribution(std::size_t n_features, std::span<const Individual> elite, std::uint32_t last_level)
    : n_features_(n_features), n_elite_(elite.size()) {
    for (const Individual& individual : elite)
        for (const Gene& gene : individual.genes)
            if (gene.level < last_level) cells_.push_back({gene.position, gene.feature, 1});
    const auto place = [](const Cell& cell) { return std::tuple(cell.position, cell.feature); };
    std::ranges::sort(cells_, {}, place);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
        if (kept > 0 && place(cells_[kept - 1]) == place(cells_[i]))
            cells_[kept - 1].count += cells_[i].count;
        else
            cells_[kept++] = cells_[i];
    }
    cells_.resize(kept);
    cells_.shrink_to_fit();
    for (std::size_t i = 0; i < cells_.size(); ++i) {
        Range& range = ranges_.try_emplace(cells_[i].position, Range{i, i, 0}).first->second;
        range.end = i + 1;
        range.present += cells_[i].count;
    }
}

std::int32_t TreeDistribution::draw(Position position, RandomStream stream) const {
    const std::uint64_t n_features = n_features_, n_elite = n_elite_;
    std::uint64_t ticket = stream.below(n_elite * n_features);
    const auto found = ranges_.find(position);
    const std::uint64_t present = found == ranges_.end() ? 0 : found->second.present;
    const std::uint64_t lacking = n_elite - present;
    if (ticket < lacking * n_features) return static_cast<std::int32_t>(ticket / lacking);
    ticket = (ticket - lacking * n_features) / n_features;
    for (std::size_t i = found->second.begin;; ++i) {
        if (ticket < cells_[i].count) return cells_[i].feature;
        ticket -= cells_[i].count;
    }
}

}  // namespace palmette
