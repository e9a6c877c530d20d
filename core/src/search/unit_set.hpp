// UnitSet: a set of units as bits, for problems of any width.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace palmette::elimination {

/// A set of units as bits, as wide as the problem.
class UnitSet {
  public:
    UnitSet() = default;
    explicit UnitSet(std::size_t n_units) : words_((n_units + 63) / 64, 0) {}

    [[nodiscard]] bool contains(std::size_t unit) const noexcept {
        return (words_[unit / 64] >> (unit % 64) & 1U) != 0;
    }
    void insert(std::size_t unit) noexcept { words_[unit / 64] |= std::uint64_t{1} << (unit % 64); }
    void erase(std::size_t unit) noexcept { words_[unit / 64] &= ~(std::uint64_t{1} << (unit % 64)); }
    [[nodiscard]] std::span<const std::uint64_t> words() const noexcept { return words_; }
    [[nodiscard]] std::span<std::uint64_t> words() noexcept { return words_; }
    bool operator==(const UnitSet&) const = default;
    /// Calls visit(unit) in ascending order.
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::size_t i = 0; i < words_.size(); ++i)
            for (std::uint64_t word = words_[i]; word != 0; word &= word - 1)
                visit(static_cast<std::uint32_t>(64 * i) + static_cast<std::uint32_t>(std::countr_zero(word)));
    }
    [[nodiscard]] std::vector<std::uint32_t> list() const {
        std::vector<std::uint32_t> units;
        for_each([&](std::uint32_t unit) { units.push_back(unit); });
        return units;
    }

  private:
    std::vector<std::uint64_t> words_;
};

}  // namespace palmette::elimination
