#include "genome.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "palmette/data/block.hpp"
#include "palmette/tree/midpoint.hpp"
#include "palmette/tree/ranking.hpp"

namespace palmette {
namespace {

/// The stump of a cut between two codes of the dataset.
Stump stump_of(const EvolutionProblem& problem, const Candidate& split) {
    Stump stump;
    stump.feature = split.feature;
    stump.lower = split.cut;
    stump.upper = split.above;
    const std::span<const double> values = problem.values[split.feature];
    stump.threshold = midpoint(values[stump.lower - 1], values[stump.upper - 1]);
    // Samples outside the piece may have values between the two.
    const auto between = values.subspan(stump.lower, stump.upper - 1 - stump.lower);
    stump.cut =
        stump.lower + static_cast<std::uint32_t>(std::ranges::upper_bound(between, stump.threshold) - between.begin());
    return stump;
}

/// The training samples that remain when only every n-th of `shuffled`, from `first` on, is kept, in order.
NodeSamples piece_of(const Dataset& dataset, std::span<const std::uint32_t> shuffled, std::size_t first,
                     std::size_t step) {
    NodeSamples piece;
    for (std::size_t i = first; i < shuffled.size(); i += step) piece.ids.push_back(shuffled[i]);
    std::ranges::sort(piece.ids);
    if (!dataset.weights().empty())
        for (const std::uint32_t id : piece.ids) piece.weights.push_back(dataset.weights()[id]);
    return piece;
}

}  // namespace

std::vector<Stump> make_stumps(const EvolutionProblem& problem, std::size_t n_pieces, RandomStream stream) {
    const Dataset& dataset = problem.dataset;
    const Block block(dataset);
    GrowthOptions options;
    options.growth = Growth::literal;
    const Ranker ranker(dataset, options);
    RankingScratch scratch;

    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < dataset.n_rows(); ++row)
        if (dataset.weights().empty() || dataset.weights()[row] > 0) rows.push_back(row);
    for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[stream.below(i)]);

    std::vector<Stump> stumps;
    for (std::uint32_t feature = 0; feature < dataset.n_features(); ++feature)
        if (problem.nominal(feature) && dataset.column(feature).n_values > 1 &&
            dataset.column(feature).n_values <= longest_genome)
            stumps.push_back({feature, dataset.column(feature).n_values});
    for (std::size_t piece = 0; piece <= n_pieces; ++piece) {
        const NodeSamples samples =
            piece == 0 ? piece_of(dataset, rows, 0, 1) : piece_of(dataset, rows, piece - 1, n_pieces);
        NodeTotals totals;
        totals.compute(block, samples, dataset);
        if (totals.pure) continue;
        for (std::uint32_t feature = 0; feature < dataset.n_features(); ++feature) {
            if (problem.nominal(feature)) continue;
            const Candidate split = ranker.evaluate(block, samples, totals, feature, scratch);
            if (split.eligible()) stumps.push_back(stump_of(problem, split));
        }
    }
    const auto place = [](const Stump& stump) { return std::pair(stump.feature, stump.cut); };
    std::ranges::stable_sort(stumps, {}, place);
    const auto repeats = std::ranges::unique(stumps, {}, place);
    stumps.erase(repeats.begin(), repeats.end());
    return stumps;
}

std::size_t Stumps::end_of_subtree(std::span<const std::int32_t> genome, std::size_t place) const noexcept {
    for (std::size_t awaited = 1; awaited > 0; ++place)
        awaited += genome[place] < 0 ? std::size_t{0} - 1 : (*this)[genome[place]].n_branches - std::size_t{1};
    return place;
}

Genome Stumps::assemble(std::uint32_t height, bool full, RandomStream& stream) const {
    Genome genome;
    std::vector<std::uint32_t> levels{1};  // of the nodes to come, the next one last
    while (!levels.empty()) {
        const std::uint32_t level = levels.back();
        levels.pop_back();
        const bool splits = level < height && size() > 0 && genome.size() + levels.size() < longest_genome / 4 &&
                            (full || level == 1 || stream.below(2) == 0);
        genome.push_back(splits ? any(stream) : -1);
        if (splits) levels.insert(levels.end(), (*this)[genome.back()].n_branches, level + 1);
    }
    return genome;
}

void Stumps::cross(Genome& one, Genome& other, RandomStream& stream) const {
    const auto subtree = [&](const Genome& genome) {
        const std::size_t begin = stream.below(genome.size());
        return std::pair(begin, end_of_subtree(genome, begin));
    };
    const auto [begin, end] = subtree(one);
    const auto [other_begin, other_end] = subtree(other);
    const auto spliced = [](const Genome& host, std::size_t from, std::size_t to, std::span<const std::int32_t> graft) {
        Genome child(host.begin(), host.begin() + static_cast<std::ptrdiff_t>(from));
        child.insert(child.end(), graft.begin(), graft.end());
        child.insert(child.end(), host.begin() + static_cast<std::ptrdiff_t>(to), host.end());
        return child;
    };
    Genome first = spliced(one, begin, end, std::span(other).subspan(other_begin, other_end - other_begin));
    Genome second = spliced(other, other_begin, other_end, std::span(one).subspan(begin, end - begin));
    if (first.size() <= longest_genome) one = std::move(first);
    if (second.size() <= longest_genome) other = std::move(second);
}

void Stumps::mutate(Genome& genome, RandomStream& stream) const {
    const bool collapse = stream.below(2) == 0;
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < genome.size(); ++place)
        if ((genome[place] >= 0) == collapse) places.push_back(place);
    if (places.empty() || size() == 0) return;
    const std::size_t place = places[stream.below(places.size())];
    const auto at = genome.begin() + static_cast<std::ptrdiff_t>(place);
    if (collapse) {
        genome.erase(at + 1, genome.begin() + static_cast<std::ptrdiff_t>(end_of_subtree(genome, place)));
        genome[place] = -1;
        return;
    }
    const std::int32_t stump = any(stream);
    const std::size_t n_branches = (*this)[stump].n_branches;
    if (genome.size() + n_branches > longest_genome) return;
    genome.insert(at + 1, n_branches, -1);
    genome[place] = stump;
}

}  // namespace palmette
