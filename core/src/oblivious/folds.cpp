#include "palmette/oblivious/folds.hpp"

#include <stdexcept>
#include <utility>

#include "palmette/oblivious/cells.hpp"
#include "palmette/support/random.hpp"

namespace palmette {

std::vector<std::uint32_t> redrawn_folds(const Dataset& dataset, std::span<const std::uint32_t> folds,
                                         std::uint64_t seed, std::size_t step) {
    if (folds.size() != dataset.n_rows()) throw std::invalid_argument("there must be a fold for each row");
    std::vector<std::uint32_t> drawn(folds.begin(), folds.end());
    if (step == 0) return drawn;
    RandomStream random = RandomStream(seed).child(step);
    std::vector<std::vector<std::uint32_t>> rows_of_class(dataset.n_classes());
    for (const std::uint32_t row : weighty_rows(dataset)) {
        std::vector<std::uint32_t>& before = rows_of_class[dataset.labels()[row]];
        // Fisher & Yates from the front: the row exchanges with any row of its class up to itself.
        before.push_back(row);
        std::swap(drawn[row], drawn[before[random.below(before.size())]]);
    }
    return drawn;
}

}  // namespace palmette
