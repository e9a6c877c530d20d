#include "palmette/data/column.hpp"

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

}  // namespace palmette
