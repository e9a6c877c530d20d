// Ledger: the search samples that missing values have split over several leaves, and the votes that these have given.
//
// The errors of such samples do not add up over leaves: a sample errs if the votes of all its leaves together say so.
// While some of its leaves are open, it surely errs if another class wins even when all open votes go to the sample's
// own class (wherever that class is present) and the rest is spread evenly over the others; it surely does not if its
// own class wins even when all of them go to one other. Either way the rest of its leaves does not matter. Changes are
// undone in the order of a stack.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "palmette/search/problem.hpp"
#include "search_samples.hpp"

namespace palmette {

/// What the strongest of the other classes gets at least of votes that cannot go to the own one.
[[nodiscard]] inline double least_of_strongest_rival(double votes, std::size_t n_classes) noexcept {
    return n_classes < 2 ? 0.0 : votes / static_cast<double>(n_classes - 1);
}

class Ledger {
  public:
    struct Mark {
        std::size_t position = 0;
        std::uint64_t level = 0;
    };

    Ledger(const SearchProblem& problem, std::span<const SearchSamples> samples)
        : n_classes_(problem.dataset().n_classes()) {
        bool any = false;
        for (const SearchSamples& fold : samples) any = any || !fold.number_of.empty();
        if (!any) return;
        for (const SearchSamples& fold : samples)
            for (const std::uint32_t row : fold.rows)
                entries_.push_back(
                    {fold.weight_of[row], problem.dataset().labels()[row], Verdict::open, false, 0, 0.0, 0.0});
        votes_.assign(entries_.size() * n_classes_, 0.0);
    }

    /// False if no search sample misses a value.
    [[nodiscard]] bool is_in_use() const noexcept { return !entries_.empty(); }
    /// Weight of the samples that err in every tree that the open nodes may still become.
    [[nodiscard]] ErrorWeight sure_errors() const noexcept { return sure_errors_; }
    /// Weight of the samples that are split here and may yet turn out either way.
    [[nodiscard]] ErrorWeight undecided_weight() const noexcept { return undecided_weight_; }
    /// True if no part at the node can change a verdict.
    template <class Node>
    [[nodiscard]] bool is_indifferent_to(const Node& node) const noexcept {
        if (node.n_parts == 0) return true;
        return std::all_of(node.shares->parts, node.shares->parts + node.n_parts,
                           [&](const auto& part) { return entries_[part.sample].verdict != Verdict::open; });
    }

    /// A point to return to.
    [[nodiscard]] Mark mark() noexcept {
        level_ = ++last_level_;
        return {trail_.size(), level_};
    }
    void roll_back(const Mark& mark) noexcept {
        while (trail_.size() > mark.position) {
            const Saved& saved = trail_.back();
            sure_errors_ = saved.sure_errors;
            undecided_weight_ = saved.undecided_weight;
            entries_[saved.sample] = saved.entry;
            const double* old = saved_votes_.data() + saved_votes_.size() - n_classes_;
            std::copy_n(old, n_classes_, votes_.data() + saved.sample * n_classes_);
            saved_votes_.resize(saved_votes_.size() - n_classes_);
            trail_.pop_back();
        }
    }
    /// The changes that follow belong to `mark` again, after what lay above it was rolled back.
    void resume(const Mark& mark) noexcept { level_ = mark.level; }

    /// The parts at `node` may still become anything that its class distribution allows.
    template <class Node>
    void open(const Node& node) {
        for (std::uint32_t i = 0; i < node.n_parts; ++i) {
            Entry& entry = touch(node.shares->parts[i].sample);
            entry.open_share += node.shares->parts[i].share;
            if (node.shares->votes[entry.label] > 0) entry.open_to_own += node.shares->parts[i].share;
        }
    }
    /// They go on to the children of the node, or vote.
    template <class Node>
    void close(const Node& node) {
        for (std::uint32_t i = 0; i < node.n_parts; ++i) {
            Entry& entry = touch(node.shares->parts[i].sample);
            entry.open_share -= node.shares->parts[i].share;
            if (node.shares->votes[entry.label] > 0) entry.open_to_own -= node.shares->parts[i].share;
        }
    }
    /// The node is a leaf.
    template <class Node>
    void vote(const Node& node) {
        for (std::uint32_t i = 0; i < node.n_parts; ++i) {
            touch(node.shares->parts[i].sample);
            double* votes = votes_.data() + node.shares->parts[i].sample * n_classes_;
            for (std::size_t k = 0; k < n_classes_; ++k)
                votes[k] += node.shares->parts[i].share * node.shares->votes[k];
        }
    }
    /// Gives a verdict on the samples that have changed, where there is one; to be called when all their parts are
    /// accounted for.
    void judge() noexcept {
        for (const std::uint32_t sample : changed_) {
            Entry& entry = entries_[sample];
            entry.changed = false;
            if (entry.verdict != Verdict::open) continue;
            const double* votes = votes_.data() + sample * n_classes_;
            double rival = 0, total = entry.open_share;
            for (std::size_t k = 0; k < n_classes_; ++k) {
                total += votes[k];
                if (k != entry.label) rival = std::max(rival, votes[k]);
            }
            const double own = votes[entry.label];
            const double rival_least =
                std::max(rival, least_of_strongest_rival(total - own - entry.open_to_own, n_classes_));
            if (rival_least > own + entry.open_to_own + tolerance) {
                entry.verdict = Verdict::wrong;
                sure_errors_ += entry.weight;
            } else if (own > rival + entry.open_share + tolerance) {
                entry.verdict = Verdict::right;
            } else {
                continue;
            }
            undecided_weight_ -= entry.weight;
        }
        changed_.clear();
    }

    /// Once no node is open: the weight of the split samples that err. False if some are too close to a tie for sums
    /// that were added in another order than `predict` adds them.
    [[nodiscard]] bool settle(ErrorWeight& error) const noexcept {
        error = sure_errors_;
        for (const Saved& saved : trail_) {
            const Entry& entry = entries_[saved.sample];
            if (entry.verdict != Verdict::open) continue;
            const double* votes = votes_.data() + saved.sample * n_classes_;
            for (std::size_t k = 0; k < n_classes_; ++k)
                if (k != entry.label && votes[k] >= votes[entry.label] - tolerance) return false;
        }
        return true;
    }

  private:
    // Sums of shares carry rounding errors of some 1e-16 each.
    static constexpr double tolerance = 1e-9;

    enum class Verdict : std::uint8_t { open, right, wrong };
    struct Entry {
        ErrorWeight weight;
        Label label;
        Verdict verdict;
        bool changed;         // since it was judged
        std::uint64_t level;  // at which its state was last saved
        double open_share;    // that has not voted yet
        double open_to_own;   // of it, what may still go to its own class
    };
    struct Saved {
        std::uint32_t sample;
        Entry entry;
        ErrorWeight sure_errors, undecided_weight;
    };

    Entry& touch(std::uint32_t sample) {
        Entry& entry = entries_[sample];
        if (!entry.changed) {
            changed_.push_back(sample);
            entry.changed = true;
        }
        if (entry.level == level_) return entry;
        trail_.push_back({sample, entry, sure_errors_, undecided_weight_});
        trail_.back().entry.changed = false;
        const double* votes = votes_.data() + sample * n_classes_;
        saved_votes_.insert(saved_votes_.end(), votes, votes + n_classes_);
        if (entry.level == 0) undecided_weight_ += entry.weight;
        entry.level = level_;
        return entry;
    }
    std::size_t n_classes_;
    std::vector<Entry> entries_;
    std::vector<double> votes_;
    std::vector<Saved> trail_;
    std::vector<std::uint32_t> changed_;
    std::vector<double> saved_votes_;
    std::uint64_t level_ = 0;
    std::uint64_t last_level_ = 0;
    ErrorWeight sure_errors_ = 0;
    ErrorWeight undecided_weight_ = 0;
};

}  // namespace palmette
