// Groups: the samples of a node in order of their codes, a group for each code that occurs.
//
// Three ways to put them in order. Each offers for_each(f) with f(code, total, class or `mixed`, items), where
// items(visit) calls visit(class, count). Samples with a missing value are set aside before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "palmette/data/dataset.hpp"

namespace palmette {

constexpr int mixed = -1;

/// A table of counts, code × class: for few codes and classes.
template <class Count>
struct DenseGroups {
    const Count* table;
    std::uint32_t n_values;
    std::size_t n_classes;

    template <class F>
    void for_each(F f) const {
        for (std::uint32_t code = 1; code <= n_values; ++code) {
            const Count* row = table + code * n_classes;
            Count total = 0;
            int only = mixed, present = 0;
            for (std::size_t k = 0; k < n_classes; ++k)
                if (row[k] != 0) {
                    total += row[k];
                    only = static_cast<int>(k);
                    ++present;
                }
            if (total == 0) continue;
            f(code, total, present == 1 ? only : mixed, [&](auto visit) {
                for (std::size_t k = 0; k < n_classes; ++k)
                    if (row[k] != 0) visit(k, row[k]);
            });
        }
    }
};

/// Labels (and weights) in order of code, with the end of each code's run: a counting sort.
template <class Count>
struct CountedGroups {
    const std::uint32_t* ends;  // ends[c] is one past the last position of code c
    const Label* labels;
    const Weight* weights;
    std::uint32_t n_values;

    template <class F>
    void for_each(F f) const {
        for (std::uint32_t code = 1; code <= n_values; ++code) {
            const std::uint32_t begin = ends[code - 1], end = ends[code];
            if (begin == end) continue;
            Count total = 0;
            int only = labels[begin];
            for (std::uint32_t i = begin; i < end; ++i) {
                total += count(i);
                if (labels[i] != only) only = mixed;
            }
            f(code, total, only, [&](auto visit) {
                for (std::uint32_t i = begin; i < end; ++i) visit(std::size_t{labels[i]}, count(i));
            });
        }
    }
    [[nodiscard]] Count count(std::uint32_t i) const noexcept {
        if constexpr (std::is_same_v<Count, Weight>)
            return weights[i];
        else
            return 1;
    }
};

/// Keys sorted by code: for few samples, or for many more codes than samples.
template <class Count>
struct SortedGroups {
    const std::uint64_t* keys;  // code in the upper half; below it the position of the sample in the node
    std::size_t n;
    const Label* labels;
    const Weight* weights;  // of the samples from `n_ones` on; the others count `one`
    std::size_t n_ones;
    Count one;

    template <class F>
    void for_each(F f) const {
        for (std::size_t begin = 0; begin < n;) {
            const auto code = static_cast<std::uint32_t>(keys[begin] >> 32);
            Count total = 0;
            int only = label(begin);
            std::size_t end = begin;
            for (; end < n && static_cast<std::uint32_t>(keys[end] >> 32) == code; ++end) {
                total += count(end);
                if (label(end) != only) only = mixed;
            }
            f(code, total, only, [&](auto visit) {
                for (std::size_t i = begin; i < end; ++i) visit(static_cast<std::size_t>(label(i)), count(i));
            });
            begin = end;
        }
    }
    [[nodiscard]] int label(std::size_t i) const noexcept { return labels[static_cast<std::uint32_t>(keys[i])]; }
    [[nodiscard]] Count count(std::size_t i) const noexcept {
        if constexpr (std::is_same_v<Count, Weight>)
            return static_cast<std::uint32_t>(keys[i]) < n_ones ? one
                                                                : weights[static_cast<std::uint32_t>(keys[i]) - n_ones];
        else
            return one;
    }
};

}  // namespace palmette
