#include "elimination_branches.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace palmette::elimination {
namespace {

/// Calls use(codes) with the column's codes in their own type.
template <class Use>
decltype(auto) with_codes_of(const Column& column, Use use) {
    return visit_codes(column.codes.data(), column.codes.width(), use);
}

/// Puts the rows below the cut to the begin of `to`, the others behind the place where all would end, and calls
/// tell(run, rows of it on the left, on the right).
template <class Tell>
void part_rows(const Column& column, std::uint32_t cut, const std::uint32_t* rows, std::span<const Run> runs,
               std::vector<std::uint32_t>& to, Tell tell) {
    const std::uint32_t n = runs.empty() ? 0 : runs.back().end;
    to.resize(2 * std::size_t{n});
    with_codes_of(column, [&](const auto* codes) {
        // Every row is written to both sides and kept on one: cheaper than a jump that cannot be predicted.
        std::uint32_t* left = to.data();
        std::uint32_t* right = left + n;
        std::uint32_t i = 0;
        for (const Run& run : runs) {
            const std::uint32_t* left_before = left;
            const std::uint32_t size = run.end - i;
            for (; i < run.end; ++i) {
                const std::uint32_t row = rows[i];
                const bool goes_right = codes[row] > cut;
                *left = row;
                *right = row;
                left += !goes_right;
                right += goes_right;
            }
            const auto n_left = static_cast<std::uint32_t>(left - left_before);
            tell(run, n_left, size - n_left);
        }
    });
}

}  // namespace

void begin_run(std::vector<Run>& runs, Label label, Weight weight, std::uint32_t n_before) {
    if (!runs.empty()) {
        if (runs.back().label == label && runs.back().weight == weight) return;
        runs.back().end = n_before;
    }
    runs.push_back({weight, n_before, label});
}

void Branches::part(const Surroundings& around, const Node& node, Split& split) {
    const Column& column = around.dataset.column(split.feature);
    list.clear();
    homeless.clear();
    homeless_whole.clear();
    empty_parts.clear();
    const bool complete_cut = column.kind == FeatureKind::continuous && !around.has_missing[split.feature];
    if (complete_cut)
        part_by_cut(node, column, split.cut);
    else
        part_by_value(node, column, split.cut);
    judge(around, node);
    whole_counts.assign(list.size() * around.dataset.n_classes(), 0);
    whole_weights_.assign(list.size() * around.dataset.n_classes(), 0);
    if (complete_cut && around.search[node.fold].unit_weights)
        send_by_cut(around, node, column, split.cut);
    else
        send_by_value(around, node, column, split);
    settle(split);
    if (column.kind == FeatureKind::nominal)
        for (const Branch& branch : list) branch_of_code_[branch.code] = nowhere;
}

void Branches::add(std::uint32_t code) {
    const std::size_t j = list.size();
    list.push_back(Branch{});
    list.back().code = code;
    list.back().run = nowhere;
    if (runs.size() == j) runs.emplace_back();
    runs[j].clear();
}

/// The building samples, where all values are known.
void Branches::part_by_cut(const Node& node, const Column& column, std::uint32_t cut) {
    add(0);
    add(1);
    const auto tell = [&](const Run& run, std::uint32_t n_left, std::uint32_t n_right) {
        if (n_left > 0) runs[0].push_back({run.weight, list[0].n_building += n_left, run.label});
        if (n_right > 0) runs[1].push_back({run.weight, list[1].n_building += n_right, run.label});
    };
    part_rows(column, cut, node.rows, {node.runs, node.n_building_runs}, rows, tell);
    list[1].begin = node.n_building;
}

/// A branch for each category that occurs, or for each side of a cut. A sample without a value goes down all of them,
/// with a share of its weight.
void Branches::part_by_value(const Node& node, const Column& column, std::uint32_t cut) {
    const bool continuous = column.kind == FeatureKind::continuous;
    const std::uint32_t n_values = continuous ? 2 : column.n_values;
    const std::span from(node.rows, node.n_building);
    const std::span runs_from(node.runs, node.n_building_runs);
    with_codes_of(column, [&](const auto* codes) {
        // Branches are in order of code, as a tree has them; 0 is missing.
        const auto value_of = [=](std::uint32_t row) -> std::uint32_t {
            const std::uint32_t code = codes[row];
            return continuous && code != 0 ? 1 + (code > cut) : code;
        };
        places_.assign(std::size_t{n_values} + 1, 0);
        for (const std::uint32_t row : from) ++places_[value_of(row)];
        const std::uint32_t n_missing = places_[0];
        std::uint32_t begin = 0;
        for (std::uint32_t value = 1; value <= n_values; ++value) {
            if (places_[value] == 0) continue;
            add(continuous ? value - 1 : value);
            list.back().begin = begin;
            begin += n_missing + std::exchange(places_[value], list.size() - 1);
        }
        rows.resize(begin);
        Weight known_weight = 0;
        if (n_missing > 0) {
            std::size_t i = 0;
            for (const Run& run : runs_from)
                for (; i < run.end; ++i)
                    if (const std::uint32_t value = value_of(from[i]); value != 0) {
                        list[places_[value]].known_weight += run.weight;
                        known_weight += run.weight;
                    }
        }
        std::size_t i = 0;
        for (std::uint32_t r = 0; r < runs_from.size(); ++r) {
            const Run& run = runs_from[r];
            missing_rows_.clear();
            for (; i < run.end; ++i) {
                const std::uint32_t value = value_of(from[i]);
                if (value == 0) {
                    missing_rows_.push_back(from[i]);
                    continue;
                }
                Branch& branch = list[places_[value]];
                if (branch.run != r) {  // the run ends where the next one begins
                    branch.run = r;
                    begin_run(runs[places_[value]], run.label, run.weight, branch.n_building);
                }
                rows[branch.begin + branch.n_building++] = from[i];
            }
            if (missing_rows_.empty()) continue;
            for (std::size_t j = 0; j < list.size(); ++j) {
                Branch& branch = list[j];
                const Weight share = share_of_weight(run.weight, branch.known_weight, known_weight);
                if (share == 0) continue;
                begin_run(runs[j], run.label, share, branch.n_building);
                std::ranges::copy(missing_rows_, rows.data() + branch.begin + branch.n_building);
                branch.n_building += static_cast<std::uint32_t>(missing_rows_.size());
            }
        }
    });
    for (std::size_t j = 0; j < list.size(); ++j) runs[j].back().end = list[j].n_building;
    if (continuous) return;
    if (branch_of_code_.size() < std::size_t{n_values} + 1) branch_of_code_.resize(std::size_t{n_values} + 1, nowhere);
    for (std::size_t j = 0; j < list.size(); ++j) branch_of_code_[list[j].code] = static_cast<std::uint32_t>(j);
}

/// Weight, label and whether it is a leaf, for every branch.
void Branches::judge(const Surroundings& around, const Node& node) {
    const std::size_t n_classes = around.dataset.n_classes();
    const bool deepest = node.depth + 1 >= around.problem.growth().max_depth;
    class_weights.assign(list.size() * n_classes, 0);
    for (std::size_t j = 0; j < list.size(); ++j) {
        Weight* by_class = class_weights.data() + j * n_classes;
        Branch& branch = list[j];
        std::uint32_t begin = 0;
        for (const Run& run : runs[j]) {
            by_class[run.label] += Weight{run.end - begin} * run.weight;
            begin = run.end;
        }
        branch.weight = std::accumulate(by_class, by_class + n_classes, Weight{0});
        branch.label = static_cast<Label>(std::max_element(by_class, by_class + n_classes) - by_class);
        branch.is_leaf = deepest || around.ranker.is_leaf(branch.weight, by_class[branch.label] == branch.weight);
    }
}

/// The search samples, where all values are known and all samples count alike.
void Branches::send_by_cut(const Surroundings& around, const Node& node, const Column& column, std::uint32_t cut) {
    const SearchRows& search = around.search[node.fold];
    const std::size_t n_classes = around.dataset.n_classes();
    const ErrorWeight one = around.dataset.scale().one();
    const auto count = [&](std::size_t j, Label label, std::uint32_t number) {
        whole_counts[j * n_classes + label] += number;
        whole_weights_[j * n_classes + label] += number * one;
    };
    const auto tell = [&](const Run& run, std::uint32_t n_left, std::uint32_t n_right) {
        count(0, run.label, n_left);
        count(1, run.label, n_right);
    };
    part_rows(column, cut, node.rows + node.n_building, {node.runs + node.n_building_runs, node.n_search_runs},
              whole_rows, tell);
    list[1].begin_whole = node.n_whole;
    sum_up(n_classes);
    for (std::uint32_t p = 0; p < node.n_parts; ++p)
        ++list[column.codes[search.rows[node.parts[p].sample - search.first_number]] > cut].n_parts;
}

/// The search samples and the parts of such, whatever their values.
void Branches::send_by_value(const Surroundings& around, const Node& node, const Column& column, Split& split) {
    const SearchRows& search = around.search[node.fold];
    const bool continuous = column.kind == FeatureKind::continuous;
    const std::size_t n = node.n_whole, n_classes = around.dataset.n_classes();
    const ErrorWeight one = around.dataset.scale().one();
    const std::uint32_t* from = node.rows + node.n_building;
    const auto count = [&](std::size_t j, Label label, ErrorWeight weight) {
        ++whole_counts[j * n_classes + label];
        whole_weights_[j * n_classes + label] += weight;
    };
    with_codes_of(column, [&](const auto* codes) {
        const auto place_of = [&](std::uint32_t code) {
            return continuous ? static_cast<std::uint32_t>(code > split.cut) : branch_of_code_[code];
        };
        const auto is_absent_here = [&](Label label) {
            return std::none_of(node.runs, node.runs + node.n_building_runs,
                                [label](const Run& run) { return run.label == label; });
        };
        std::size_t i = 0;
        places_.resize(std::max<std::size_t>(places_.size(), n));
        for (const Run& run : std::span(node.runs + node.n_building_runs, node.n_search_runs))
            for (; i < run.end; ++i) {
                const std::uint32_t row = from[i];
                const std::uint32_t code = codes[row];
                const ErrorWeight weight = search.unit_weights ? one : search.weight_of[row];
                std::uint32_t& to = places_[i];
                to = nowhere;
                if (code == 0) {
                    // A class that no building sample here has wins in no leaf below: a sure error.
                    if (is_absent_here(run.label)) {
                        split.fixed_error += weight;
                        continue;
                    }
                    const auto position = std::ranges::lower_bound(search.rows, row) - search.rows.begin();
                    const std::uint32_t number = search.first_number + static_cast<std::uint32_t>(position);
                    homeless.push_back({number, node.n_parts + static_cast<std::uint32_t>(homeless_whole.size()), 1.0});
                    homeless_whole.push_back(number);
                    continue;
                }
                to = place_of(code);
                // An empty branch is a leaf with the label of this node.
                if (to != nowhere)
                    count(to, run.label, weight);
                else if (run.label != node.label)
                    split.fixed_error += weight;
            }
        sum_up(n_classes);
        whole_rows.resize(n);
        next_.resize(list.size());
        std::uint32_t begin = 0;
        for (std::size_t j = 0; j < list.size(); ++j) {
            list[j].begin_whole = next_[j] = begin;
            begin += list[j].n_whole;
        }
        for (i = 0; i < n; ++i)
            if (places_[i] != nowhere) whole_rows[next_[places_[i]]++] = from[i];

        for (std::uint32_t p = 0; p < node.n_parts; ++p) {
            const Part& part = node.parts[p];
            const std::uint32_t code = codes[search.rows[part.sample - search.first_number]];
            const std::uint32_t to = code == 0 ? nowhere : place_of(code);
            if (code == 0)
                homeless.push_back({part.sample, p, part.share});
            else if (to == nowhere)
                empty_parts.push_back({part.sample, p, part.share});
            else
                ++list[to].n_parts;
        }
    });
    for (Branch& branch : list) branch.n_parts += static_cast<std::uint32_t>(homeless.size());
}

/// The whole search samples of every branch, from those of its classes.
void Branches::sum_up(std::size_t n_classes) {
    for (std::size_t j = 0; j < list.size(); ++j) {
        Branch& branch = list[j];
        for (std::size_t k = 0; k < n_classes; ++k) {
            const std::uint32_t number = whole_counts[j * n_classes + k];
            const ErrorWeight weight = whole_weights_[j * n_classes + k];
            branch.n_whole += number;
            branch.whole_weight += weight;
            if (k != branch.label) branch.leaf_error += weight;
            if (class_weights[j * n_classes + k] > 0) branch.n_live += number;
        }
    }
}

/// Which branches need a node. Where nothing is left to find out, the errors are known whatever the subset is (P2): a
/// sample of a class that no building sample of the branch has errs in every leaf below it.
void Branches::settle(Split& split) {
    for (Branch& branch : list) {
        branch.is_settled = branch.n_parts == 0 && (branch.is_leaf || branch.n_live == 0);
        if (branch.is_settled)
            split.fixed_error += branch.is_leaf ? branch.leaf_error : branch.whole_weight;
        else
            ++split.n_children;
    }
    if (!empty_parts.empty()) ++split.n_children;
    split.n_homeless = static_cast<std::uint32_t>(homeless_whole.size());
}

}  // namespace palmette::elimination
