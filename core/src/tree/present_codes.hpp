// The codes that occur at a node, out of bins of which many may be empty.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace palmette {

/// Calls visit(code) for every code in begin..end - 1 that is present, ascending. The codes are listed without a jump
/// before they are visited, some at a time: which bins are empty cannot be predicted.
template <class IsPresent, class Visit>
void for_each_present(std::uint32_t begin, std::uint32_t end, IsPresent is_present, Visit visit) {
    constexpr std::uint32_t at_once = 64;
    std::array<std::uint32_t, at_once> present;
    while (begin < end) {
        const std::uint32_t stop = begin + std::min(at_once, end - begin);
        std::uint32_t* last = present.data();
        for (std::uint32_t code = begin; code < stop; ++code) {
            *last = code;
            last += is_present(code);
        }
        for (const std::uint32_t* code = present.data(); code != last; ++code) visit(*code);
        begin = stop;
    }
}

}  // namespace palmette
