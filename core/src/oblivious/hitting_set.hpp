// The smallest set that hits every given set: branch and bound, exact, and the first of the smallest by index tuple.
//
// focus.cpp adds the sets, one conflict after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "palmette/support/budget.hpp"

namespace palmette::oblivious {

/// A set of any width as bits.
using Bits = std::vector<std::uint64_t>;

/// The sets to be hit. None contains another: who hits the smaller one hits both.
class HittingSetProblem {
  public:
    explicit HittingSetProblem(std::size_t n_elements) : n_elements_(n_elements) {}

    /// Adds a set of elements, ascending and not empty; false if some set within it is there already.
    bool add(const std::vector<std::uint32_t>& elements);

    [[nodiscard]] const std::vector<std::vector<std::uint32_t>>& sets() const noexcept { return sets_; }

    /// A hitting set with `size` elements at most, ascending, that holds `chosen` and none of `forbidden`; none if
    /// there is none, or if the budget is spent, which the caller has to ask for.
    [[nodiscard]] std::optional<std::vector<std::uint32_t>> find(std::size_t size,
                                                                 std::span<const std::uint32_t> chosen,
                                                                 const std::vector<bool>& forbidden, Budget& budget);

    /// Of the hitting sets with `size` elements, the least possible number, the one whose ascending tuple comes first.
    [[nodiscard]] std::optional<std::vector<std::uint32_t>> find_first(std::size_t size, Budget& budget);

    [[nodiscard]] std::uint64_t n_nodes() const noexcept { return n_nodes_; }

  private:
    class Search;

    std::size_t n_elements_;
    std::vector<std::vector<std::uint32_t>> sets_;
    std::uint64_t n_nodes_ = 0;
};

}  // namespace palmette::oblivious
