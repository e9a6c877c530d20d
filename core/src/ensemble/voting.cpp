#include "palmette/ensemble/voting.hpp"

#include <algorithm>
#include <stdexcept>

namespace palmette {

std::vector<double> predict_votes(std::span<const Tree* const> trees, std::span<const double> votes,
                                  std::span<const PredictionColumn> columns, std::size_t n_rows, Budget& budget,
                                  WorkerPool& pool) {
    check_columns(trees, columns, n_rows);
    if (votes.size() != trees.size()) throw std::invalid_argument("each tree needs one vote");
    double all_votes = 0;
    for (const double vote : votes) {
        if (!(vote > 0)) throw std::invalid_argument("a vote must weigh more than 0");
        all_votes += vote;
    }
    const std::size_t n_classes = trees[0]->n_classes();
    std::vector<double> out(n_rows * n_classes, 0.0);
    constexpr std::size_t rows_per_task = 512;
    pool.run((n_rows + rows_per_task - 1) / rows_per_task, [&](std::size_t, std::size_t task) {
        const std::size_t begin = task * rows_per_task, end = std::min(n_rows, begin + rows_per_task);
        std::vector<double> of_tree;
        for (std::size_t i = 0; i < trees.size(); ++i) {
            if (budget.check_deadline()) return;
            of_tree.assign((end - begin) * n_classes, 0.0);
            add_probabilities(*trees[i], columns, begin, end, of_tree.data());
            for (std::size_t row = begin; row < end; ++row) {
                const double* first = of_tree.data() + (row - begin) * n_classes;
                const auto winner = static_cast<std::size_t>(std::max_element(first, first + n_classes) - first);
                out[row * n_classes + winner] += votes[i];
            }
        }
        for (std::size_t i = begin * n_classes; i < end * n_classes; ++i) out[i] /= all_votes;
    });
    return out;
}

}  // namespace palmette
