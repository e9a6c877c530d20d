#include "hitting_set.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace palmette::oblivious {
namespace {

bool none(const Bits& bits) {
    return std::ranges::all_of(bits, [](std::uint64_t word) { return word == 0; });
}

}  // namespace

/// One question: is there a hitting set of at most so many elements? Depth first.
///
/// At a node some elements are chosen, some forbidden, and the sets that no chosen element hits are *open*. The
/// elements of the smallest open set are tried in turn, those in most open sets first; one that was tried is forbidden
/// to its later siblings, so no set of elements is seen twice. A set with one allowed element forces it, being the
/// smallest. A node is given up if
/// - the `left` elements that hit most open sets cannot hit all of them even if no set is hit twice, or
/// - more than `left` open sets can be picked that share no allowed element: each needs an element of its own.
class HittingSetProblem::Search {
  public:
    Search(const HittingSetProblem& problem, const std::vector<bool>& forbidden, Budget& budget)
        : problem_(problem), budget_(budget), forbidden_(forbidden), n_words_((problem.sets_.size() + 63) / 64) {
        member_.assign(problem.n_elements_, Bits(n_words_, 0));
        for (std::size_t i = 0; i < problem.sets_.size(); ++i)
            for (const std::uint32_t element : problem.sets_[i])
                member_[element][i / 64] |= std::uint64_t{1} << (i % 64);
    }

    bool operator()(std::size_t size, std::span<const std::uint32_t> chosen) {
        Bits open(n_words_, 0);
        for (std::size_t i = 0; i < problem_.sets_.size(); ++i) open[i / 64] |= std::uint64_t{1} << (i % 64);
        for (const std::uint32_t element : chosen) hit(open, element);
        chosen_.assign(chosen.begin(), chosen.end());
        return chosen.size() <= size && visit(open, size - chosen.size());
    }

    [[nodiscard]] std::vector<std::uint32_t> answer() const {
        std::vector<std::uint32_t> elements = chosen_;
        std::ranges::sort(elements);
        return elements;
    }
    [[nodiscard]] std::uint64_t n_nodes() const noexcept { return n_nodes_; }

  private:
    void hit(Bits& open, std::uint32_t element) const {
        for (std::size_t i = 0; i < n_words_; ++i) open[i] &= ~member_[element][i];
    }

    template <class Visit>
    static void for_each(const Bits& bits, Visit visit) {
        for (std::size_t i = 0; i < bits.size(); ++i)
            for (std::uint64_t word = bits[i]; word != 0; word &= word - 1)
                visit(64 * i + static_cast<std::size_t>(std::countr_zero(word)));
    }

    bool visit(const Bits& open, std::size_t left) {
        ++n_nodes_;
        if (none(open)) return true;
        if (left == 0 || (n_nodes_ % 64 == 0 ? budget_.check_deadline() : budget_.spent())) return false;

        std::vector<std::uint32_t> covers(problem_.n_elements_, 0);
        std::size_t n_open = 0, smallest = 0, smallest_size = problem_.n_elements_ + 1;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> by_size;
        for_each(open, [&](std::size_t set) {
            std::size_t size = 0;
            for (const std::uint32_t element : problem_.sets_[set])
                if (!forbidden_[element]) {
                    ++covers[element];
                    ++size;
                }
            ++n_open;
            by_size.emplace_back(static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(set));
            if (size < smallest_size) {
                smallest_size = size;
                smallest = set;
            }
        });
        if (smallest_size == 0 || !can_cover(covers, n_open, left) || needs_more_than(by_size, left)) return false;

        std::vector<std::uint32_t> branches;
        for (const std::uint32_t element : problem_.sets_[smallest])
            if (!forbidden_[element]) branches.push_back(element);
        std::ranges::stable_sort(branches, std::greater{}, [&](std::uint32_t element) { return covers[element]; });
        bool found = false;
        std::size_t n_tried = 0;
        for (const std::uint32_t element : branches) {
            Bits rest = open;
            hit(rest, element);
            chosen_.push_back(element);
            found = visit(rest, left - 1);
            if (found) break;
            chosen_.pop_back();
            forbidden_[element] = true;
            ++n_tried;
        }
        for (std::size_t i = 0; i < n_tried; ++i) forbidden_[branches[i]] = false;
        return found;
    }

    [[nodiscard]] static bool can_cover(std::vector<std::uint32_t>& covers, std::size_t n_open, std::size_t left) {
        if (left < covers.size()) {
            std::vector<std::uint32_t> most(covers);
            std::ranges::nth_element(most, most.begin() + static_cast<std::ptrdiff_t>(left), std::greater{});
            return std::accumulate(most.begin(), most.begin() + static_cast<std::ptrdiff_t>(left), std::size_t{0}) >=
                   n_open;
        }
        return true;
    }

    /// Whether more than `left` open sets are found that are disjoint, small ones first.
    [[nodiscard]] bool needs_more_than(std::vector<std::pair<std::uint32_t, std::uint32_t>>& by_size,
                                       std::size_t left) {
        std::ranges::sort(by_size);
        taken_.assign(problem_.n_elements_, false);
        std::size_t n_disjoint = 0;
        for (const auto& [size, set] : by_size) {
            const auto& elements = problem_.sets_[set];
            if (std::ranges::any_of(elements, [&](std::uint32_t e) { return taken_[e] && !forbidden_[e]; })) continue;
            if (++n_disjoint > left) return true;
            for (const std::uint32_t element : elements) taken_[element] = true;
        }
        return false;
    }

    const HittingSetProblem& problem_;
    Budget& budget_;
    std::vector<bool> forbidden_;
    std::size_t n_words_;
    std::vector<Bits> member_;  // for each element, the sets that hold it
    std::vector<std::uint32_t> chosen_;
    std::vector<bool> taken_;
    std::uint64_t n_nodes_ = 0;
};

bool HittingSetProblem::add(const std::vector<std::uint32_t>& elements) {
    for (const auto& set : sets_)
        if (std::ranges::includes(elements, set)) return false;
    std::erase_if(sets_, [&](const auto& set) { return std::ranges::includes(set, elements); });
    sets_.push_back(elements);
    return true;
}

std::optional<std::vector<std::uint32_t>> HittingSetProblem::find(std::size_t size,
                                                                  std::span<const std::uint32_t> chosen,
                                                                  const std::vector<bool>& forbidden, Budget& budget) {
    Search search(*this, forbidden, budget);
    const bool found = search(size, chosen);
    n_nodes_ += search.n_nodes();
    if (!found) return std::nullopt;
    return search.answer();
}

std::optional<std::vector<std::uint32_t>> HittingSetProblem::find_first(std::size_t size, Budget& budget) {
    std::vector<bool> forbidden(n_elements_, false);
    std::optional<std::vector<std::uint32_t>> best = find(size, {}, forbidden, budget);
    if (!best || best->size() < size) return best;
    std::vector<std::uint32_t> prefix;
    for (std::uint32_t element = 0; prefix.size() < size && element < n_elements_; ++element) {
        // The next element of the best so far need not be asked for; every smaller one must be, or be ruled out.
        if (element == (*best)[prefix.size()]) {
            prefix.push_back(element);
            continue;
        }
        prefix.push_back(element);
        auto better = find(size, prefix, forbidden, budget);
        if (budget.spent()) return std::nullopt;
        if (better) {
            best = std::move(better);
        } else {
            prefix.pop_back();
            forbidden[element] = true;
        }
    }
    return best;
}

}  // namespace palmette::oblivious
