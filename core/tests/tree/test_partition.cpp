// Partitions: each known sample goes to one part, each missing one to all parts in shares that keep its weight.

#include <map>
#include <vector>

#include "check.hpp"
#include "palmette/tree/partition.hpp"
#include "problems.hpp"

using namespace palmette;
using problems::Random;
using problems::random_problem;

namespace {

/// A split of all samples on the column, or none where it cannot be split.
void check_partition(const Dataset& dataset, const Block& block, const NodeSamples& samples, std::uint32_t slot) {
    NodeTotals totals;
    RankingScratch scratch;
    totals.compute(block, samples, dataset);
    const Ranker ranker(dataset, {.growth = Growth::literal, .min_samples = 1});
    const Candidate candidate = ranker.evaluate(block, samples, totals, slot, scratch);
    if (!candidate.eligible()) return;
    Partition partition(dataset, block, samples, candidate);
    const Column& column = dataset.column(candidate.feature);

    std::map<std::uint32_t, Weight> weight_before, weight_after;
    for (std::size_t i = 0; i < samples.size(block); ++i)
        weight_before[samples.id(i)] += samples.weights.empty() ? dataset.scale().one() : samples.weights[i];
    std::uint32_t previous_code = 0;
    for (std::size_t j = 0; j < partition.n_parts(); ++j) {
        const std::uint32_t part_code = partition.code(j);
        if (j > 0) CHECK(part_code > previous_code);
        previous_code = part_code;
        const std::size_t promised = partition.size(j);
        const NodeSamples part = partition.take(j);
        CHECK(!part.ids.empty() && part.ids.size() <= promised);
        CHECK(part.weights.empty() || part.weights.size() == part.ids.size());
        for (std::size_t i = 0; i < part.ids.size(); ++i) {
            const std::uint32_t code = column.codes[block.row(part.ids[i])];
            const Weight weight = part.weights.empty() ? dataset.scale().one() : part.weights[i];
            CHECK(weight > 0);
            weight_after[part.ids[i]] += weight;
            if (code == 0) continue;
            if (column.kind == FeatureKind::nominal)
                CHECK_EQ(code, part_code);
            else
                CHECK(part_code == 0 ? code <= partition.lower() : code >= partition.upper());
        }
    }
    CHECK_EQ(weight_after.size(), weight_before.size());
    for (const auto& [id, weight] : weight_before)
        CHECK(std::abs(weight_after[id] - weight) <= static_cast<Weight>(partition.n_parts()));
}

}  // namespace

TEST_CASE("parts hold every sample with all its weight, on the right side") {
    Random random(1);
    for (int round = 0; round < 60; ++round) {
        const Dataset dataset = random_problem(random, {.n_rows = 200,
                                                        .n_values = round % 2 == 0 ? 0 : 10,
                                                        .n_categories = 30,
                                                        .n_classes = 3,
                                                        .missing_share = round % 3 == 0 ? 0.2 : 0.0})
                                    .dataset();
        const Block whole(dataset);
        std::vector<std::uint32_t> ids;
        std::vector<Weight> weights;
        for (std::uint32_t id = static_cast<std::uint32_t>(round % 4); id < 200; id += 3) {
            ids.push_back(id);
            if (round % 5 == 0) weights.push_back(dataset.scale().from_double(0.25 + 3 * random.real()));
        }
        std::vector<std::uint32_t> slots{0, 1, 2};
        const Block own(whole, ids, slots, nullptr);
        for (const std::uint32_t slot : slots) {
            check_partition(dataset, whole, {{}, {}, true}, slot);
            check_partition(dataset, whole, {ids, weights, false}, slot);
            if (slot < own.n_columns()) check_partition(dataset, own, {{}, weights, true}, slot);
        }
    }
}
