// What both kinds of evolution do with a population: put it in order, describe it, and choose the answer from it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "palmette/evolution/evolution.hpp"

namespace palmette {

/// The order with accuracies in steps of `tolerance`, a share of the training weight.
[[nodiscard]] Order order_of(const EvolutionProblem& problem, double tolerance, bool by_nodes);

/// The weight of the training set.
[[nodiscard]] Weight training_weight(const Dataset& dataset);

/// Best first; ties keep their places.
template <class Member>
void put_in_order(std::vector<Member>& population, const Order& order) {
    std::ranges::stable_sort(population,
                             [&](const Member& a, const Member& b) { return order.before(a.judgement, b.judgement); });
}

template <class Member>
[[nodiscard]] std::vector<Judgement> judgements_of(const std::vector<Member>& population) {
    std::vector<Judgement> judgements;
    judgements.reserve(population.size());
    for (const Member& member : population) judgements.push_back(member.judgement);
    return judgements;
}

/// The population is given in its order.
[[nodiscard]] Generation describe(std::span<const Judgement> population, const EvolutionProblem& problem);

/// The place of the individual with the best mean of training and validation accuracy (Equation 6), of the first in
/// order among ties; without a validation set, the first.
[[nodiscard]] std::size_t choose(std::span<const Judgement> population, const EvolutionProblem& problem);

}  // namespace palmette
