// SearchState: what a search needs to go on where it stopped, as bytes.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "explorer.hpp"
#include "incumbent.hpp"

namespace palmette {

template <std::size_t Words>
struct SearchState {
    typename Incumbent<Words>::Best best;
    ErrorWeight bound = 0;
    ErrorWeight cap = no_error_limit;  // of the bounding run
    double seconds = 0;
    double closed_share = 0;
    std::uint64_t n_trees = 0, n_first_trees = 0, n_sublattices = 0, n_expansions = 0;
    std::vector<Task<Words>> main_tasks, bounding_tasks;
    std::vector<SearchEvent> history;

    [[nodiscard]] std::vector<std::byte> write() const {
        Writer out;
        out.number(magic);
        out.number(Words);
        out.set(best.units);
        out.number(best.error);
        out.number(best.objective);
        out.number(best.size);
        out.number(bound);
        out.number(cap);
        out.number(seconds);
        out.number(closed_share);
        out.number(n_trees);
        out.number(n_first_trees);
        out.number(n_sublattices);
        out.number(n_expansions);
        for (const auto* tasks : {&main_tasks, &bounding_tasks}) {
            out.number(tasks->size());
            for (const Task<Words>& task : *tasks) {
                out.set(task.included);
                out.set(task.excluded);
                out.number(task.bound);
                out.number(task.share);
            }
        }
        out.number(history.size());
        for (const SearchEvent& event : history) {
            out.number(event.seconds);
            out.number(event.objective);
            out.number(event.bound);
            out.number(event.units.size());
            for (const std::uint32_t unit : event.units) out.number(std::uint64_t{unit});
        }
        return std::move(out.bytes);
    }

    /// Throws std::invalid_argument unless the bytes are a state of a problem with this many units.
    [[nodiscard]] static SearchState read(std::span<const std::byte> bytes, std::size_t n_units) {
        Reader in{bytes, n_units};
        SearchState state;
        in.expect(in.template number<std::uint64_t>() == magic && in.template number<std::uint64_t>() == Words);
        state.best.units = in.set();
        state.best.error = in.weight();
        state.best.objective = in.weight();
        state.best.size = in.template number<std::uint64_t>();
        state.bound = in.weight();
        state.cap = in.weight();
        state.seconds = in.share(1e15);
        state.closed_share = in.share(2);
        state.n_trees = in.template number<std::uint64_t>();
        state.n_first_trees = in.template number<std::uint64_t>();
        state.n_sublattices = in.template number<std::uint64_t>();
        state.n_expansions = in.template number<std::uint64_t>();
        for (auto* tasks : {&state.main_tasks, &state.bounding_tasks})
            for (std::uint64_t i = in.count((2 * Words + 2) * sizeof(std::uint64_t)); i > 0; --i) {
                Task<Words> task;
                task.included = in.set();
                task.excluded = in.set();
                task.bound = in.weight();
                task.share = in.share(2);
                in.expect(!task.included.intersects(task.excluded));
                tasks->push_back(task);
            }
        for (std::uint64_t i = in.count(4 * sizeof(std::uint64_t)); i > 0; --i) {
            SearchEvent event;
            event.seconds = in.share(1e15);
            event.objective = in.weight();
            event.bound = in.weight();
            for (std::uint64_t j = in.count(sizeof(std::uint64_t)); j > 0; --j) {
                const auto unit = in.template number<std::uint64_t>();
                in.expect(unit < n_units);
                event.units.push_back(static_cast<std::uint32_t>(unit));
            }
            state.history.push_back(std::move(event));
        }
        in.expect(in.bytes.empty());
        return state;
    }

  private:
    static constexpr std::uint64_t magic = 0x3274657474656d70;  // "pmette" and the version of this layout

    struct Writer {
        std::vector<std::byte> bytes;

        template <class Number>
        void number(Number value) {
            static_assert(sizeof(Number) == sizeof(std::uint64_t));
            const auto* first = reinterpret_cast<const std::byte*>(&value);
            bytes.insert(bytes.end(), first, first + sizeof(value));
        }
        void set(const FeatureSet<Words>& set) {
            for (const std::uint64_t word : set.words()) number(word);
        }
    };

    struct Reader {
        std::span<const std::byte> bytes;
        std::size_t n_units;

        void expect(bool condition) const {
            if (!condition) throw std::invalid_argument("the saved state is damaged, or of another search");
        }
        template <class Number>
        Number number() {
            expect(bytes.size() >= sizeof(Number));
            Number value;
            std::memcpy(&value, bytes.data(), sizeof(Number));
            bytes = bytes.subspan(sizeof(Number));
            return value;
        }
        ErrorWeight weight() {
            const auto value = number<ErrorWeight>();
            expect(value >= 0 && value <= no_error_limit);
            return value;
        }
        double share(double most) {
            const auto value = number<double>();
            expect(value >= 0 && value <= most);
            return value;
        }
        FeatureSet<Words> set() {
            FeatureSet<Words> set;
            for (std::uint64_t& word : set.words()) word = number<std::uint64_t>();
            set.for_each([&](std::size_t unit) { expect(unit < n_units); });
            return set;
        }
        std::uint64_t count(std::size_t bytes_each) {
            const auto value = number<std::uint64_t>();
            expect(value <= bytes.size() / bytes_each);
            return value;
        }
    };
};

}  // namespace palmette
