// FeatureSet: a set of features (or of groups of them) as bits, of a width fixed at compile time.
//
// The searches keep three sets with every node that they remember, so a set must be no wider than the problem needs:
// `with_feature_set` picks the narrowest width for a number of elements and compiles the search for each.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace palmette {

template <std::size_t Words>
class FeatureSet {
  public:
    static constexpr std::size_t capacity = 64 * Words;

    [[nodiscard]] bool contains(std::size_t element) const noexcept {
        return ((words_[element / 64] >> (element % 64)) & 1U) != 0;
    }
    void insert(std::size_t element) noexcept { words_[element / 64] |= std::uint64_t{1} << (element % 64); }
    void erase(std::size_t element) noexcept { words_[element / 64] &= ~(std::uint64_t{1} << (element % 64)); }

    [[nodiscard]] bool empty() const noexcept {
        std::uint64_t any = 0;
        for (const std::uint64_t word : words_) any |= word;
        return any == 0;
    }
    [[nodiscard]] std::size_t size() const noexcept {
        std::size_t count = 0;
        for (const std::uint64_t word : words_) count += static_cast<std::size_t>(std::popcount(word));
        return count;
    }
    [[nodiscard]] bool is_subset_of(const FeatureSet& other) const noexcept {
        std::uint64_t outside = 0;
        for (std::size_t i = 0; i < Words; ++i) outside |= words_[i] & ~other.words_[i];
        return outside == 0;
    }
    [[nodiscard]] bool intersects(const FeatureSet& other) const noexcept {
        std::uint64_t common = 0;
        for (std::size_t i = 0; i < Words; ++i) common |= words_[i] & other.words_[i];
        return common != 0;
    }

    FeatureSet& operator|=(const FeatureSet& other) noexcept {
        for (std::size_t i = 0; i < Words; ++i) words_[i] |= other.words_[i];
        return *this;
    }
    FeatureSet& operator&=(const FeatureSet& other) noexcept {
        for (std::size_t i = 0; i < Words; ++i) words_[i] &= other.words_[i];
        return *this;
    }
    FeatureSet& operator-=(const FeatureSet& other) noexcept {
        for (std::size_t i = 0; i < Words; ++i) words_[i] &= ~other.words_[i];
        return *this;
    }
    friend FeatureSet operator|(FeatureSet a, const FeatureSet& b) noexcept { return a |= b; }
    friend FeatureSet operator&(FeatureSet a, const FeatureSet& b) noexcept { return a &= b; }
    friend FeatureSet operator-(FeatureSet a, const FeatureSet& b) noexcept { return a -= b; }
    bool operator==(const FeatureSet&) const = default;

    /// Calls visit(element) in ascending order.
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::size_t i = 0; i < Words; ++i)
            for (std::uint64_t word = words_[i]; word != 0; word &= word - 1)
                visit(64 * i + static_cast<std::size_t>(std::countr_zero(word)));
    }

    [[nodiscard]] const std::array<std::uint64_t, Words>& words() const noexcept { return words_; }
    [[nodiscard]] std::array<std::uint64_t, Words>& words() noexcept { return words_; }

  private:
    std::array<std::uint64_t, Words> words_{};
};

constexpr std::size_t most_searched_units = 2048;

/// Calls use.template operator()<Words>() with the narrowest width for `n_elements`.
template <class Use>
decltype(auto) with_feature_set(std::size_t n_elements, Use use) {
    if (n_elements <= 64) return use.template operator()<1>();
    if (n_elements <= 256) return use.template operator()<4>();
    if (n_elements <= most_searched_units) return use.template operator()<most_searched_units / 64>();
    throw std::invalid_argument("a complete search takes at most " + std::to_string(most_searched_units) +
                                " features or groups of them, got " + std::to_string(n_elements));
}

}  // namespace palmette
