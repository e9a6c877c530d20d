#include "palmette/support/fixed_point.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "palmette/support/worker_pool.hpp"

namespace palmette {

WeightScale::WeightScale(double total_weight) {
    if (!(total_weight <= largest_total))
        throw std::invalid_argument("the sample weights sum to more than 2**40; divide them all by a constant");
    const auto whole = static_cast<std::uint64_t>(std::ceil(std::max(total_weight, 0.0)));
    // 2^57 units hold a total whose logarithm is below 64, so that total·log2(total) stays below 2^63.
    fraction_bits_ = std::min(most_fraction_bits, 57 - static_cast<int>(std::bit_width(whole)));
    factor_ = static_cast<double>(one());
}

std::uint32_t WeightScale::count_that_reaches(double minimum) const noexcept {
    if (minimum >= 4294967295.0) return 0xffffffffU;
    double count = std::max(0.0, std::floor(minimum) - 1.0);
    while (!reaches(static_cast<Weight>(count) << fraction_bits_, minimum)) count += 1.0;
    return static_cast<std::uint32_t>(count);
}

XLogX::XLogX(WeightScale scale, std::size_t largest_count, WorkerPool* pool)
    : bits_(scale.fraction_bits()), mask_(scale.one() - 1), factor_(scale.factor()) {
    table_.resize(std::min(largest_count + 1, largest_table));
    const auto fill = [this](std::size_t begin, std::size_t end) {
        for (std::size_t i = std::max<std::size_t>(begin, 2); i < end; ++i) table_[i] = compute(static_cast<double>(i));
    };
    constexpr std::size_t piece = std::size_t{1} << 14;  // some hundred microseconds
    if (pool != nullptr && table_.size() > piece)
        pool->run((table_.size() + piece - 1) / piece,
                  [&](std::size_t, std::size_t i) { fill(i * piece, std::min((i + 1) * piece, table_.size())); });
    else
        fill(0, table_.size());
    logs_.resize(std::min(largest_count + 1, largest_log_table));
    for (std::size_t i = 2; i < logs_.size(); ++i) logs_[i] = compute_log2(static_cast<double>(i));
}

}  // namespace palmette
