#include "palmette/tree/partition.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace palmette {
namespace {

void add(NodeSamples& part, const NodeSamples& samples, std::size_t i) {
    part.ids.push_back(samples.id(i));
    if (!samples.weights.empty()) part.weights.push_back(samples.weights[i]);
}

/// Where the next sample of a part is written.
struct Ends {
    std::uint32_t* id = nullptr;
    Weight* weight = nullptr;
};

Ends room_for(NodeSamples& part, std::size_t size, bool weighted) {
    part.ids.resize(size);
    if (weighted) part.weights.resize(size);
    return {part.ids.data(), part.weights.data()};
}

void reserve(NodeSamples& part, std::size_t size, bool weighted) {
    part.ids.reserve(size);
    if (weighted) part.weights.reserve(size);
}

}  // namespace

Partition::Partition(const Dataset& dataset, const Block& block, const NodeSamples& samples,
                     const Candidate& candidate) {
    const Column& column = dataset.column(candidate.feature);
    if (column.kind == FeatureKind::continuous)
        part_by_cut(dataset, block, samples, candidate);
    else
        part_by_category(block, samples, column);
    if (!missing_.ids.empty()) weigh(dataset);
}

void Partition::part_by_cut(const Dataset& dataset, const Block& block, const NodeSamples& samples,
                            const Candidate& candidate) {
    const BlockColumn& local = block.column(candidate.slot);
    const Column& column = dataset.column(candidate.feature);
    const std::size_t n = samples.size(block);
    const std::uint32_t cut = candidate.cut;
    const bool weighted = !samples.weights.empty();
    codes_ = {0, 1};
    known_.resize(2);
    visit_codes(local.codes, local.width, [&](const auto* codes) {
        // The samples next to the cut tell, in codes of the whole dataset, where the threshold lies. A key is a code's
        // distance from the cut, with a sample that has it. Codes on the other side come out below zero, that is, as
        // great numbers: no jump is needed to leave them out. A missing value (code 0) is farther than any known one.
        std::uint64_t lower = ~std::uint64_t{0}, upper = ~std::uint64_t{0};
        std::size_t n_left = 0, n_missing = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t id = samples.id(i);
            const std::uint32_t code = codes[id];
            lower = std::min(lower, (std::uint64_t{cut - code} << 32) | id);
            upper = std::min(upper, (std::uint64_t{code - cut - 1} << 32) | id);
            n_left += code <= cut;
            n_missing += code == 0;
        }
        lower_ = column.codes[block.row(static_cast<std::uint32_t>(lower))];
        upper_ = column.codes[block.row(static_cast<std::uint32_t>(upper))];

        if (weighted || n_missing > 0) {
            reserve(known_[0], n_left - n_missing, weighted);
            reserve(known_[1], n - n_left, weighted);
            reserve(missing_, n_missing, weighted);
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint32_t code = codes[samples.id(i)];
                add(code == 0 ? missing_ : known_[code > cut], samples, i);
            }
            return;
        }
        // Every sample is written to both sides and kept on one: cheaper than a jump that cannot be predicted.
        known_[0].ids.resize(n_left + 1);
        known_[1].ids.resize(n - n_left + 1);
        std::uint32_t* left = known_[0].ids.data();
        std::uint32_t* right = known_[1].ids.data();
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t id = samples.id(i);
            const bool goes_left = codes[id] <= cut;
            *left = id;
            *right = id;
            left += goes_left;
            right += !goes_left;
        }
        known_[0].ids.pop_back();
        known_[1].ids.pop_back();
    });
}

void Partition::part_by_category(const Block& block, const NodeSamples& samples, const Column& column) {
    const std::size_t n = samples.size(block);
    visit_codes(column.codes.data(), column.codes.width(), [&](const auto* codes) {
        const auto code_of = [&](std::size_t i) { return codes[block.row(samples.id(i))]; };
        std::vector<std::uint32_t> size(std::size_t{column.n_values} + 1, 0);
        for (std::size_t i = 0; i < n; ++i) ++size[code_of(i)];

        // Parts are numbered by ascending code of the categories that occur here.
        const bool weighted = !samples.weights.empty();
        for (std::uint32_t code = 1; code <= column.n_values; ++code)
            if (size[code] > 0) codes_.push_back(code);
        known_.resize(codes_.size());
        std::vector<Ends> ends(size.size());
        ends[0] = room_for(missing_, size[0], weighted);
        for (std::size_t j = 0; j < codes_.size(); ++j)
            ends[codes_[j]] = room_for(known_[j], size[codes_[j]], weighted);
        for (std::size_t i = 0; i < n; ++i) {
            Ends& end = ends[code_of(i)];
            *end.id++ = samples.id(i);
            if (weighted) *end.weight++ = samples.weights[i];
        }
    });
}

void Partition::weigh(const Dataset& dataset) {
    const Weight one = dataset.scale().one();
    for (NodeSamples& part : known_) {
        // Children hold fractions of samples, so none of their samples can be left without a weight.
        if (part.weights.empty()) part.weights.assign(part.ids.size(), one);
        part_weights_.push_back(std::accumulate(part.weights.begin(), part.weights.end(), Weight{0}));
        known_weight_ += part_weights_.back();
    }
    if (missing_.weights.empty()) missing_.weights.assign(missing_.ids.size(), one);
}

NodeSamples Partition::take(std::size_t j) {
    NodeSamples part = std::move(known_[j]);
    if (missing_.ids.empty()) return part;
    part.ids.reserve(part.ids.size() + missing_.ids.size());
    part.weights.reserve(part.weights.size() + missing_.ids.size());
    for (std::size_t i = 0; i < missing_.ids.size(); ++i) {
        const Weight share = share_of_weight(missing_.weights[i], part_weights_[j], known_weight_);
        if (share == 0) continue;
        part.ids.push_back(missing_.ids[i]);
        part.weights.push_back(share);
    }
    return part;
}

}  // namespace palmette
