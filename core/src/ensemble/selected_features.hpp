// SelectedFeatures: the set F that the trees of a regularized ensemble share, in order of entry and by index.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "palmette/ensemble/regularized.hpp"
#include "palmette/support/random.hpp"

namespace palmette {

class SelectedFeatures {
  public:
    SelectedFeatures(std::size_t n_features, std::span<const std::uint32_t> initial) : rest_(n_features) {
        std::iota(rest_.begin(), rest_.end(), 0U);
        for (const std::uint32_t feature : initial) take(feature);
    }

    /// The members, ascending.
    [[nodiscard]] const std::vector<std::uint32_t>& members() const noexcept { return members_; }
    [[nodiscard]] std::size_t n_entries() const noexcept { return entries_.size(); }
    [[nodiscard]] std::vector<FeatureEntry> entries() && noexcept { return std::move(entries_); }

    void enter(const FeatureEntry& entry) {
        take(entry.feature);
        entries_.push_back(entry);
    }

    /// Undoes all but the first `n` entries.
    void forget_after(std::size_t n) {
        for (; entries_.size() > n; entries_.pop_back()) {
            const std::uint32_t feature = entries_.back().feature;
            members_.erase(std::ranges::lower_bound(members_, feature));
            rest_.insert(std::ranges::lower_bound(rest_, feature), feature);
        }
    }

    /// `count` features outside the set (all if there are fewer), without replacement, ascending: a partial shuffle
    /// of the ascending list, which is put back in order afterwards.
    void draw_others(std::size_t count, RandomStream stream, std::vector<std::uint32_t>& drawn) {
        if (count >= rest_.size()) {
            drawn = rest_;
            return;
        }
        swaps_.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            swaps_[i] = i + stream.below(rest_.size() - i);
            std::swap(rest_[i], rest_[swaps_[i]]);
        }
        drawn.assign(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(count));
        for (std::size_t i = count; i-- > 0;) std::swap(rest_[i], rest_[swaps_[i]]);
        std::ranges::sort(drawn);
    }

  private:
    void take(std::uint32_t feature) {
        const auto place = std::ranges::lower_bound(rest_, feature);
        if (place == rest_.end() || *place != feature) return;
        rest_.erase(place);
        members_.insert(std::ranges::lower_bound(members_, feature), feature);
    }

    std::vector<std::uint32_t> members_;
    std::vector<std::uint32_t> rest_;  // all others, ascending
    std::vector<FeatureEntry> entries_;
    std::vector<std::size_t> swaps_;
};

}  // namespace palmette
