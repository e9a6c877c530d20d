// A node is replaced by a leaf or by its largest branch where the estimated errors do not rise by more than
// 0.1 (Quinlan 1993, ch. 4; the constants are those of Release 8, files stats.c and prune.c).

#include "palmette/tree/pruning.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace palmette {
namespace {

constexpr double slack = 0.1;

/// Rows and their weights at a node.
struct Sample {
    std::uint32_t row;
    Weight weight;
};
using Samples = std::vector<Sample>;

/// Square of the normal deviate of the confidence level, interpolated in C4.5's table.
double squared_deviate(double confidence) {
    constexpr std::array level{0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0};
    constexpr std::array deviate{4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0};
    std::size_t i = 1;
    while (i + 1 < level.size() && confidence > level[i]) ++i;
    const double z =
        deviate[i - 1] + (deviate[i] - deviate[i - 1]) * (confidence - level[i - 1]) / (level[i] - level[i - 1]);
    return z * z;
}

class Pruner {
  public:
    /// `complete`: no sample lacks a value that the tree tests, so each is at one leaf.
    Pruner(const Dataset& dataset, double confidence, bool complete, Budget& budget, Arena& arena)
        : dataset_(dataset), confidence_(confidence), complete_(complete), budget_(budget), arena_(arena) {}

    /// Prunes the subtree of `root` on `samples`, which become its samples; returns its estimated errors.
    double prune(GrownNode* root, Samples samples) {
        std::vector<Frame> stack;
        stack.push_back(enter(root, std::move(samples), false));
        for (;;) {
            Frame& frame = stack.back();
            // Out of budget, what lies below is left as it was grown, unless other samples have come to it.
            if (frame.next < frame.parts.size() && (frame.raised || !budget_.spent())) {
                const std::size_t j = frame.next++;
                GrownNode& child = frame.node->children()[j];
                if (frame.parts[j].empty()) {
                    empty_out(child);
                    continue;
                }
                Frame below = enter(&child, std::move(frame.parts[j]), frame.raised);
                stack.push_back(std::move(below));
                continue;
            }
            const std::optional<double> errors = decide(frame);
            if (!errors) continue;
            Samples done = std::move(frame.samples);
            stack.pop_back();
            if (stack.empty()) return *errors;
            stack.back().subtree_errors += *errors;
            stack.back().parts[stack.back().next - 1] = std::move(done);
        }
    }

  private:
    /// A node on the way to the one at work. Its samples lie in its parts while its branches are pruned, so
    /// that a path of any length holds each sample once.
    struct Frame {
        GrownNode* node;
        Samples samples;
        std::vector<Samples> parts;  // by branch
        Samples missing;             // the samples of which every part holds a share
        bool raised = false;         // the subtree has samples that it was not grown on
        std::size_t next = 0;
        double subtree_errors = 0;
    };

    Frame enter(GrownNode* node, Samples samples, bool raised) {
        recount(*node, samples);
        Frame frame{node, std::move(samples), {}, {}, raised, 0, 0};
        if (!node->is_leaf()) {
            open_branches(*node, frame.samples);
            frame.parts = distribute(*node->split(), frame.samples, frame.missing);
            frame.samples = {};
        }
        return frame;
    }

    /// The samples of all branches but one.
    static Samples samples_beside(const Frame& frame, std::size_t branch) {
        std::size_t n = 0;
        for (std::size_t j = 0; j < frame.parts.size(); ++j) n += j == branch ? 0 : frame.parts[j].size();
        Samples beside;
        beside.reserve(n);
        for (std::size_t j = 0; j < frame.parts.size(); ++j)
            if (j != branch) beside.insert(beside.end(), frame.parts[j].begin(), frame.parts[j].end());
        return beside;
    }

    /// The samples of the node from those of its branches.
    void gather(Frame& frame) const {
        const Column& column = dataset_.column(frame.node->split()->feature);
        std::size_t n = frame.missing.size();
        for (const Samples& part : frame.parts) n += part.size();
        frame.samples = std::move(frame.missing);
        frame.samples.reserve(n);
        for (const Samples& part : std::exchange(frame.parts, {}))
            for (const Sample& sample : part)
                if (complete_ || column.codes[sample.row] != 0) frame.samples.push_back(sample);
    }

    /// The errors of the decided node; none when a branch was raised into its place, which starts it all over.
    std::optional<double> decide(Frame& frame) {
        GrownNode& node = *frame.node;
        const double leaf_errors = estimate(node.weight(), node.right());
        if (node.is_leaf()) return leaf_errors;
        std::size_t largest = 0;
        const auto children = node.children();
        for (std::size_t j = 1; j < children.size(); ++j)
            if (children[j].weight() > children[largest].weight()) largest = j;
        GrownNode* branch = &children[largest];
        Samples arriving;
        if (complete_) arriving = samples_beside(frame, largest);
        gather(frame);
        // When time is up the tree stays as it is from here upwards.
        if (budget_.check_deadline()) return frame.subtree_errors;

        if (!complete_) arriving = frame.samples;
        const bool leaf_beats_subtree = leaf_errors <= frame.subtree_errors + slack;
        const double branch_errors = estimate_raised(*branch, std::move(arriving), [&](double errors_so_far) {
            return leaf_beats_subtree ? leaf_errors <= errors_so_far + slack
                                      : errors_so_far > frame.subtree_errors + slack;
        });
        if (budget_.spent()) return frame.subtree_errors;

        if (leaf_beats_subtree && leaf_errors <= branch_errors + slack) {
            node.remove_split();
            return leaf_errors;
        }
        if (branch_errors <= frame.subtree_errors + slack) {
            node = *branch;
            frame = enter(&node, std::move(frame.samples), true);
            return std::nullopt;
        }
        return frame.subtree_errors;
    }

    /// Errors of the subtree as it stands, if all samples of its parent were to reach it; anything once the budget is
    /// spent. `arriving` are the samples to send down: those of the other branches where each sample is at one leaf,
    /// so that a leaf knows what it has already, else all. A sample is thus sent down a path only when its branch is
    /// not the largest, which halves what it is among: log2(n) times, not once for each level of the tree.
    /// Errors only add up, so counting ends when `enough` says that the outcome is known.
    template <class Enough>
    double estimate_raised(GrownNode& top, Samples arriving, Enough enough) {
        double errors = 0;
        std::vector<std::pair<GrownNode*, Samples>> stack;
        stack.emplace_back(&top, std::move(arriving));
        std::vector<Weight> by_class(dataset_.n_classes());
        Watch watch;
        while (!stack.empty() && !enough(errors)) {
            if (watch.is_over(budget_, stack.back().second.size())) break;
            const auto [node, here] = std::move(stack.back());
            stack.pop_back();
            if (!node->is_leaf()) {
                open_branches(*node, here);
                Samples missing;
                const auto children = node->children();
                std::vector<Samples> parts(children.size());
                if (!here.empty()) parts = distribute(*node->split(), here, missing);
                for (std::size_t j = 0; j < parts.size(); ++j)
                    if (!parts[j].empty() || (complete_ && children[j].n_classes() > 0))
                        stack.emplace_back(&children[j], std::move(parts[j]));
                continue;
            }
            Weight weight = 0;
            std::ranges::fill(by_class, 0);
            if (complete_) {
                node->for_each_class([&](Label k, Weight of_class) { by_class[k] = of_class; });
                weight = node->weight();
            }
            for (const Sample& sample : here) {
                by_class[dataset_.labels()[sample.row]] += sample.weight;
                weight += sample.weight;
            }
            // A leaf is judged by the class that it would get from these samples.
            errors += estimate(weight, *std::ranges::max_element(by_class));
        }
        return errors;
    }

    [[nodiscard]] double estimate(Weight weight, Weight right) const {
        const double cases = dataset_.scale().to_double(weight);
        const double errors = dataset_.scale().to_double(weight - right);
        return errors + extra_errors(cases, errors, confidence_);
    }

    void recount(GrownNode& node, const Samples& samples) {
        std::vector<Weight> by_class(dataset_.n_classes(), 0);
        for (const Sample& sample : samples) by_class[dataset_.labels()[sample.row]] += sample.weight;
        // In new memory: the classes of a raised branch belong to two nodes until one is gone.
        node.describe(by_class, arena_);
    }

    /// A branch that no sample reaches any more: a leaf that keeps its label.
    void empty_out(GrownNode& node) {
        node.remove_split();
        node.describe({}, arena_);
    }

    /// Raising brings samples of categories that were empty before: each gets the empty leaf that C4.5 keeps for it.
    void open_branches(GrownNode& node, const Samples& samples) {
        const GrownSplit& split = *node.split();
        if (split.kind() != FeatureKind::nominal) return;
        const Column& column = dataset_.column(split.feature);
        const std::size_t n_branches = split.children().size();
        std::set<std::uint32_t> absent;
        visit_codes(column.codes.data(), column.codes.width(), [&](const auto* codes) {
            for (const Sample& sample : samples) {
                const std::uint32_t code = codes[sample.row];
                if (code != 0 && split.branch_of(code) == n_branches) absent.insert(code);
            }
        });
        if (absent.empty()) return;
        std::vector<std::uint32_t> codes;
        std::ranges::set_union(split.codes(), absent, std::back_inserter(codes));
        GrownSplit& wider = GrownSplit::of_codes(split.feature, codes, arena_);
        wider.gain = split.gain;
        wider.empty_label = split.empty_label;
        for (GrownNode& child : wider.children()) child.label = split.empty_label;
        for (std::size_t j = 0; j < n_branches; ++j)
            wider.children()[wider.branch_of(split.codes()[j])] = split.children()[j];
        node.set_split(wider);
    }

    /// The samples of each branch, every category of which has a branch; those without a value also go to
    /// `missing`.
    std::vector<Samples> distribute(const GrownSplit& split, const Samples& samples, Samples& missing) const {
        const Column& column = dataset_.column(split.feature);
        const auto children = split.children();
        std::vector<Samples> parts(children.size());
        std::vector<Weight> part_weights(children.size(), 0);
        visit_codes(column.codes.data(), column.codes.width(), [&](const auto* codes) {
            std::vector<std::uint32_t> branch(samples.size());
            std::vector<std::size_t> sizes(children.size(), 0);
            for (std::size_t i = 0; i < samples.size(); ++i) {
                const std::uint32_t code = codes[samples[i].row];
                if (code == 0) continue;
                branch[i] = static_cast<std::uint32_t>(split.branch_of(code));
                ++sizes[branch[i]];
                part_weights[branch[i]] += samples[i].weight;
            }
            for (std::size_t j = 0; j < children.size(); ++j) parts[j].reserve(sizes[j]);
            for (std::size_t i = 0; i < samples.size(); ++i)
                (codes[samples[i].row] == 0 ? missing : parts[branch[i]]).push_back(samples[i]);
        });
        if (missing.empty()) return parts;
        Weight known = 0;
        for (const Weight weight : part_weights) known += weight;
        if (known == 0) {
            for (std::size_t j = 0; j < children.size(); ++j) {
                part_weights[j] = children[j].weight();
                known += part_weights[j];
            }
        }
        for (const Sample& sample : missing)
            for (std::size_t j = 0; j < children.size() && known > 0; ++j) {
                const Weight share = share_of_weight(sample.weight, part_weights[j], known);
                if (share > 0) parts[j].push_back({sample.row, share});
            }
        return parts;
    }

    const Dataset& dataset_;
    double confidence_;
    bool complete_;
    Budget& budget_;
    Arena& arena_;
};

}  // namespace

double extra_errors(double weight, double errors, double confidence) {
    if (errors < 1e-6) return weight * (1 - std::pow(confidence, 1 / weight));
    if (errors < 0.9999) {
        const double none = weight * (1 - std::pow(confidence, 1 / weight));
        return none + errors * (extra_errors(weight, 1.0, confidence) - none);
    }
    if (errors + 0.5 >= weight) return 0.67 * (weight - errors);
    const double c = squared_deviate(confidence);
    const double p =
        (errors + 0.5 + c / 2 + std::sqrt(c * ((errors + 0.5) * (1 - (errors + 0.5) / weight) + c / 4))) / (weight + c);
    return weight * p - errors;
}

void prune_by_error(GrownTree& tree, const Dataset& dataset, double confidence, Budget& budget,
                    std::span<const std::uint32_t> sample) {
    const auto used = tree.used_features();
    const bool complete =
        std::ranges::none_of(used, [&](std::uint32_t feature) { return dataset.column(feature).codes.has_missing(); });
    Samples samples;
    const auto weights = dataset.weights();
    for (std::uint32_t row = 0; sample.empty() && row < dataset.n_rows(); ++row) {
        const Weight weight = weights.empty() ? dataset.scale().one() : weights[row];
        if (weight > 0) samples.push_back({row, weight});
    }
    for (const std::uint32_t row : sample) {
        if (samples.empty() || samples.back().row != row) samples.push_back({row, 0});
        samples.back().weight += dataset.scale().one();
    }
    Pruner(dataset, confidence, complete, budget, tree.new_arena()).prune(tree.root, std::move(samples));
}

}  // namespace palmette
