// Twins: search samples that no feature in question tells apart (bound B5).
//
// Samples with the same values in all features that a subset may hold go the same way in its tree, whichever they are,
// and get the same prediction: in each such group all err but those of one class. B1 asks for equal values in every
// feature. Here excluded features do not count, nor those that no subset coming to a node can use below it, so that the
// bound rises with every decision, and it needs no expansion.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "palmette/search/feature_set.hpp"
#include "palmette/search/problem.hpp"
#include "trial_record.hpp"

namespace palmette {

template <std::size_t Words>
class Twins {
  public:
    using Set = FeatureSet<Words>;

    explicit Twins(const SearchProblem& problem) {
        const Dataset& dataset = problem.dataset();
        // The values of a row in few words: a feature takes as many bits as its codes need, and is not cut in two.
        std::size_t used = 0;
        const auto bits_of = [&](std::uint32_t feature) {
            return static_cast<std::size_t>(std::bit_width(std::uint64_t{dataset.column(feature).n_values}));
        };
        std::vector<std::size_t> place(dataset.n_features());
        for (std::size_t unit = 0; unit < problem.n_units(); ++unit)
            for (const std::uint32_t feature : problem.features_of(unit)) {
                if (used % 64 + bits_of(feature) > 64) used = (used + 63) / 64 * 64;
                place[feature] = used;
                used += bits_of(feature);
            }
        n_words_ = std::max<std::size_t>(1, (used + 63) / 64);
        fields_.assign(problem.n_units() * n_words_, 0);
        values_.assign(dataset.n_rows() * n_words_, 0);
        for (std::size_t unit = 0; unit < problem.n_units(); ++unit)
            for (const std::uint32_t feature : problem.features_of(unit)) {
                if (bits_of(feature) == 0) continue;  // no value is known
                const std::size_t word = place[feature] / 64, shift = place[feature] % 64;
                const std::uint64_t ones = ~std::uint64_t{0} >> (64 - bits_of(feature));
                fields_[unit * n_words_ + word] |= ones << shift;
                const CodeArray& codes = dataset.column(feature).codes;
                for (std::size_t row = 0; row < dataset.n_rows(); ++row)
                    values_[row * n_words_ + word] |= std::uint64_t{codes[row]} << shift;
            }
        mask_.assign(n_words_, 0);
    }

    /// How often such bounds have risen above what was known, with as many units allowed.
    [[nodiscard]] TrialRecord& record_of(std::size_t n_allowed) noexcept {
        return records_[std::min(n_allowed, records_.size() - 1)];
    }

    /// Begins with no samples, at most `n_samples` of which will come; the units in `allowed` may tell them apart.
    void begin(const Set& allowed, std::size_t n_samples) {
        if (!(allowed == allowed_)) {
            allowed_ = allowed;
            std::ranges::fill(mask_, 0);
            allowed.for_each([&](std::size_t unit) {
                for (std::size_t w = 0; w < n_words_; ++w) mask_[w] |= fields_[unit * n_words_ + w];
            });
        }
        groups_.clear();
        keys_.clear();
        is_small_ = n_samples <= most_compared;
        if (!is_small_) slots_.assign(std::bit_ceil(2 * n_samples), 0);
    }
    /// Samples come class by class.
    void add(std::uint32_t row, Label label, ErrorWeight weight) {
        const std::uint64_t* values = values_.data() + row * n_words_;
        std::uint64_t key = 0;
        for (std::size_t w = 0; w < n_words_; ++w) {
            key = (key ^ (values[w] & mask_[w])) * 0x9e3779b97f4a7c15U;
            key ^= key >> 32;
        }
        Group* group = is_small_ ? compare(key, values) : look_up(key, values);
        if (group == nullptr) {
            keys_.push_back(key);
            groups_.push_back({row, label, weight, weight, weight});
            return;
        }
        if (group->label != label) {
            group->label = label;
            group->of_label = 0;
        }
        group->total += weight;
        group->of_label += weight;
        group->greatest = std::max(group->greatest, group->of_label);
    }
    /// Weight of the samples that err at least.
    [[nodiscard]] ErrorWeight errors() const noexcept {
        ErrorWeight errors = 0;
        for (const Group& group : groups_) errors += group.total - group.greatest;
        return errors;
    }

  private:
    // Samples up to which a group is found by comparing with all: a table must be emptied, and its jumps are guesses.
    static constexpr std::size_t most_compared = 16;

    struct Group {
        std::uint32_t row;                      // one of its samples
        Label label;                            // of the last one
        ErrorWeight total, of_label, greatest;  // of all, of the class of the last one, of the heaviest class
    };

    [[nodiscard]] bool alike(const std::uint64_t* a, const std::uint64_t* b) const noexcept {
        std::uint64_t different = 0;
        for (std::size_t w = 0; w < n_words_; ++w) different |= (a[w] ^ b[w]) & mask_[w];
        return different == 0;
    }

    /// The group of the samples with these values; null if this is the first.
    [[nodiscard]] Group* compare(std::uint64_t key, const std::uint64_t* values) noexcept {
        for (std::size_t i = 0; i < keys_.size(); ++i)
            if (keys_[i] == key && alike(values, values_.data() + groups_[i].row * n_words_)) return &groups_[i];
        return nullptr;
    }
    /// The same by a table, in which the group that is to come gets its place.
    [[nodiscard]] Group* look_up(std::uint64_t key, const std::uint64_t* values) noexcept {
        std::size_t slot = key & (slots_.size() - 1);
        for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
            const std::size_t i = slots_[slot] - 1;
            if (keys_[i] == key && alike(values, values_.data() + groups_[i].row * n_words_)) return &groups_[i];
        }
        slots_[slot] = static_cast<std::uint32_t>(groups_.size() + 1);
        return nullptr;
    }

    std::size_t n_words_ = 1;
    std::vector<std::uint64_t> fields_;  // units × words: the bits of a unit
    std::vector<std::uint64_t> values_;  // rows × words
    Set allowed_;
    std::vector<std::uint64_t> mask_;      // the bits of the allowed units
    std::array<TrialRecord, 64> records_;  // by number of allowed units
    std::vector<std::uint64_t> keys_;      // of the groups: equal for equal values, and seldom for others
    std::vector<Group> groups_;
    bool is_small_ = false;
    std::vector<std::uint32_t> slots_;  // one more than the place of a group; 0: free
};

}  // namespace palmette
