#include "palmette/search/paper_bound.hpp"

#include <limits>

namespace palmette::paper {

/// The bound, or some number of at least `enough` below it.
template <std::size_t Words>
ErrorWeight ErrorBound<Words>::sum(const PaperTree<Words>& tree, const FeatureSet<Words>& kept, ErrorWeight enough) {
    const auto entries = tree.entries();
    ErrorWeight error = 0;
    with_shared_rows_.clear();
    for (std::size_t i = 0; i < entries.size() && error < enough;) {
        const Entry<Words>& entry = entries[i];
        if (entry.used.is_subset_of(kept)) {  // leaves too
            error += entry.error;
            i += entry.size;
        } else if (!kept.contains(static_cast<std::size_t>(entry.unit))) {
            i += entry.size;
        } else {
            error += entry.node->own_error;
            if (entry.erring_shared != nullptr && !entry.erring_shared->empty()) with_shared_rows_.push_back(i);
            ++i;
        }
    }
    // T is one of the trees of the family: a row that T gets right is no sure error.
    for (const std::size_t i : with_shared_rows_)
        for (const std::uint32_t row : *entries[i].erring_shared) {
            if (error >= enough) return error;
            if (shared_votes_.must_err(entries, i, row, kept)) error += problem_.weight_of_row(row);
        }
    return error;
}

template <std::size_t Words>
ErrorWeight ErrorBound<Words>::operator()(const PaperTree<Words>& tree, const FeatureSet<Words>& kept) {
    return sum(tree, kept, std::numeric_limits<ErrorWeight>::max());
}

template <std::size_t Words>
bool ErrorBound<Words>::reaches(const PaperTree<Words>& tree, const FeatureSet<Words>& kept, ErrorWeight enough) {
    return sum(tree, kept, enough) >= enough;
}

template class ErrorBound<1>;
template class ErrorBound<4>;
template class ErrorBound<most_searched_units / 64>;

}  // namespace palmette::paper
