#include "conflicts.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "palmette/oblivious/cells.hpp"

namespace palmette::oblivious {
namespace {

constexpr std::uint32_t unknown = 0xffffffff;

/// Of a long list as many places as are looked at, evenly spread.
std::vector<std::uint32_t> some_of(std::span<const std::uint32_t> places, std::size_t most) {
    if (places.size() <= most) return {places.begin(), places.end()};
    std::vector<std::uint32_t> chosen;
    for (std::size_t i = 0; i < most; ++i) chosen.push_back(places[i * places.size() / most]);
    return chosen;
}

}  // namespace

Conflicts::Conflicts(const Dataset& dataset) : dataset_(dataset) {
    const std::vector<std::uint32_t> rows = weighty_rows(dataset);
    std::vector<std::uint32_t> features(dataset.n_features());
    std::iota(features.begin(), features.end(), 0U);
    const CellDivision division = divide(dataset, rows, features);
    kind_.assign(division.n_cells(), unknown);
    for (const std::uint32_t place : division.first_row) rows_.push_back(rows[place]);
    std::vector<std::size_t> n_samples(division.n_cells(), 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::uint32_t cell = division.cell_of[i];
        const std::uint32_t label = dataset.labels()[rows[i]];
        const auto mixed = static_cast<std::uint32_t>(dataset.n_classes()) + cell;
        ++n_samples[cell];
        kind_[cell] = kind_[cell] == unknown || kind_[cell] == label ? label : mixed;
    }
    for (std::size_t cell = 0; cell < kind_.size(); ++cell)
        if (kind_[cell] >= dataset.n_classes()) n_inseparable_ += n_samples[cell];
}

bool Conflicts::is_consistent(std::span<const std::uint32_t> features) const {
    const CellDivision division = divide(dataset_, rows_, features);
    for (std::size_t i = 0; i < rows_.size(); ++i)
        if (kind_[i] != kind_[division.first_row[division.cell_of[i]]]) return false;
    return true;
}

std::vector<std::uint32_t> Conflicts::difference(std::uint32_t a, std::uint32_t b) const {
    std::vector<std::uint32_t> features;
    for (std::uint32_t feature = 0; feature < dataset_.n_features(); ++feature) {
        const CodeArray& codes = dataset_.column(feature).codes;
        if (codes[rows_[a]] != codes[rows_[b]]) features.push_back(feature);
    }
    return features;
}

std::vector<std::vector<std::uint32_t>> Conflicts::left_by(std::span<const std::uint32_t> features) const {
    // As many samples of a cell are compared with each other, and as many conflicts are enough at a time: what is not
    // found now is found later, when a set that hits these does not hit it.
    constexpr std::size_t most_per_cell = 24, enough = 400;
    const CellDivision division = divide(dataset_, rows_, features);
    std::vector<std::vector<std::uint32_t>> members(division.n_cells());
    for (std::uint32_t i = 0; i < rows_.size(); ++i) members[division.cell_of[i]].push_back(i);

    std::vector<std::vector<std::uint32_t>> found;
    for (const auto& cell : members) {
        const std::uint32_t first_kind = kind_[cell.front()];
        const auto other = std::ranges::find_if(cell, [&](std::uint32_t i) { return kind_[i] != first_kind; });
        if (other == cell.end()) continue;
        if (found.size() >= enough) break;
        // The spread may miss the only sample of its kind.
        std::vector<std::uint32_t> compared = some_of(cell, most_per_cell);
        compared.push_back(cell.front());
        compared.push_back(*other);
        for (std::size_t i = 1; i < compared.size(); ++i) {
            std::vector<std::uint32_t> nearest;
            for (std::size_t j = 0; j < i; ++j) {
                if (kind_[compared[i]] == kind_[compared[j]]) continue;
                std::vector<std::uint32_t> conflict = difference(compared[i], compared[j]);
                if (nearest.empty() || conflict.size() < nearest.size()) nearest = std::move(conflict);
            }
            if (!nearest.empty()) found.push_back(std::move(nearest));
        }
    }
    std::ranges::stable_sort(found, {}, &std::vector<std::uint32_t>::size);
    return found;
}

std::vector<std::uint32_t> Conflicts::forced() const {
    const std::size_t n_features = dataset_.n_features(), n_rows = rows_.size();
    // A table of cells for each feature; what is forced is found by the search as well, only later.
    constexpr std::size_t most_entries = std::size_t{1} << 26;
    if (n_features == 0 || n_features * n_rows > most_entries) return {};

    // Two rows are alike on all features but f iff they are on those before f and on those after f.
    std::vector<std::vector<std::uint32_t>> before;
    CellDivision division = undivided(n_rows);
    for (std::uint32_t feature = 0; feature < n_features; ++feature) {
        before.push_back(division.cell_of);
        divide_by(dataset_, rows_, feature, division);
    }
    std::vector<std::uint32_t> found;
    division = undivided(n_rows);
    std::unordered_map<std::uint64_t, std::uint32_t> kind_of;
    for (std::uint32_t feature = static_cast<std::uint32_t>(n_features); feature-- > 0;) {
        kind_of.clear();
        for (std::size_t i = 0; i < n_rows; ++i) {
            const std::uint64_t pair = std::uint64_t{before[feature][i]} << 32 | division.cell_of[i];
            if (kind_of.try_emplace(pair, kind_[i]).first->second != kind_[i]) {
                found.push_back(feature);
                break;
            }
        }
        divide_by(dataset_, rows_, feature, division);
    }
    std::ranges::reverse(found);
    return found;
}

}  // namespace palmette::oblivious
