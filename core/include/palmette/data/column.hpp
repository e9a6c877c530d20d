// Column: one feature of a Dataset as integer codes in the narrowest type that holds them.
//
// Code 0 is "missing" in every column. A continuous value has the code 1 + its rank among the distinct
// values, a category the code 1 + its number, so all that growing needs to know of a value is its code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace palmette {

enum class FeatureKind : std::uint8_t { continuous, nominal };

/// An array of codes in 1, 2 or 4 bytes each.
class CodeArray {
  public:
    CodeArray() = default;
    CodeArray(std::size_t size, std::uint32_t largest_code);

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] int width() const noexcept { return width_; }
    [[nodiscard]] std::size_t nbytes() const noexcept { return size_ * static_cast<std::size_t>(width_); }
    [[nodiscard]] const void* data() const noexcept { return bytes_.get(); }
    [[nodiscard]] void* data() noexcept { return bytes_.get(); }

    [[nodiscard]] std::uint32_t operator[](std::size_t i) const noexcept;

    /// True if any code, or that of any of `rows`, is "missing".
    [[nodiscard]] bool has_missing() const noexcept;
    [[nodiscard]] bool has_missing(std::span<const std::uint32_t> rows) const noexcept;

  private:
    std::unique_ptr<std::byte[]> bytes_;
    std::size_t size_ = 0;
    int width_ = 1;
};

/// Calls `action` with the codes as a pointer to their own type.
template <class Action>
decltype(auto) visit_codes(const void* codes, int width, Action&& action) {
    switch (width) {
        case 1:
            return action(static_cast<const std::uint8_t*>(codes));
        case 2:
            return action(static_cast<const std::uint16_t*>(codes));
        default:
            return action(static_cast<const std::uint32_t*>(codes));
    }
}

template <class Action>
decltype(auto) visit_codes(void* codes, int width, Action&& action) {
    switch (width) {
        case 1:
            return action(static_cast<std::uint8_t*>(codes));
        case 2:
            return action(static_cast<std::uint16_t*>(codes));
        default:
            return action(static_cast<std::uint32_t*>(codes));
    }
}

struct Column {
    FeatureKind kind = FeatureKind::continuous;
    std::uint32_t n_values = 0;  // distinct values, or declared categories; codes run from 1 to n_values
    CodeArray codes;
};

}  // namespace palmette
