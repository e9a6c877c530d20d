// The rivals of Ruggieri (2019): the search over all subsets, and the one that keeps a cache of trees.
#pragma once

#include "palmette/search/paper.hpp"

namespace palmette::paper {

/// Grows the tree of every subset from scratch, in the order of Algorithm 1.
[[nodiscard]] PaperResult search_exhaustively(const SearchProblem& problem, const PaperSettings& settings,
                                              Budget& budget, Progress& progress);

/// From the full set downwards, level by level, a subset takes over the tree of a superset that differs from it by one
/// unit which that tree does not use (Lemma 6; Caruana & Freitag 1994, whose cache serves hill climbing). The levels
/// are the cache. It is as good as one of all trees: if U ⊆ V ⊂ S for a known DT(S) with units U, then every set
/// between V and S has that tree, among them one that is larger than V by one unit.
[[nodiscard]] PaperResult search_with_cache(const SearchProblem& problem, const PaperSettings& settings, Budget& budget,
                                            Progress& progress);

}  // namespace palmette::paper
