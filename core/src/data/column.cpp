#include "palmette/data/column.hpp"

#include <algorithm>

namespace palmette {

CodeArray::CodeArray(std::size_t size, std::uint32_t largest_code)
    : size_(size),
      width_(largest_code <= 0xff     ? 1
             : largest_code <= 0xffff ? 2
                                      : 4) {
    bytes_ = std::make_unique_for_overwrite<std::byte[]>(nbytes());
}

std::uint32_t CodeArray::operator[](std::size_t i) const noexcept {
    return visit_codes(data(), width_, [i](const auto* codes) { return std::uint32_t{codes[i]}; });
}

bool CodeArray::has_missing() const noexcept {
    return visit_codes(data(), width_,
                       [&](const auto* codes) { return std::find(codes, codes + size_, 0) != codes + size_; });
}

bool CodeArray::has_missing(std::span<const std::uint32_t> rows) const noexcept {
    return visit_codes(data(), width_, [&](const auto* codes) {
        return std::ranges::any_of(rows, [codes](std::uint32_t row) { return codes[row] == 0; });
    });
}

}  // namespace palmette
