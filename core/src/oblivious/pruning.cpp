#include "palmette/oblivious/pruning.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "judge.hpp"
#include "palmette/oblivious/cells.hpp"
#include "palmette/oblivious/folds.hpp"
#include "palmette/support/worker_pool.hpp"

namespace palmette {
namespace oblivious {
namespace {

struct Sample {
    std::uint32_t row;
    std::uint32_t cell;
    std::uint32_t fold;
    Label label;
    Weight weight;
};

/// A range of the samples, all in one cell.
struct Segment {
    std::size_t begin;
    std::size_t end;
};

template <class Code, class Distance>
class TablePruner {
  public:
    TablePruner(const Dataset& dataset, const TablePruningSettings& settings, Budget& budget,
                EliminationProgress& progress)
        : dataset_(dataset), settings_(settings), budget_(budget), progress_(progress), pool_(settings.n_jobs) {
        std::uint32_t place = 0;
        for (std::uint32_t unit = 0; unit < settings.units.size(); ++unit) {
            const auto& features = settings.units[unit];
            ranges_.push_back({place, place + static_cast<std::uint32_t>(features.size())});
            feature_at_.insert(feature_at_.end(), features.begin(), features.end());
            place += static_cast<std::uint32_t>(features.size());
            present_.push_back(unit);
        }
        size_ = feature_at_.size();
    }

    EliminationResult operator()() {
        result_.start = present_;
        const std::size_t n_free = settings_.units.size() - settings_.keep.size();
        fill_cells();
        progress_.work_total.store((n_free + 1) * samples_.size(), std::memory_order_relaxed);
        progress_.size.store(size_, std::memory_order_relaxed);
        for (bool first = true;; first = false) {
            const std::vector<std::uint32_t> candidates = removable();
            if (!first && candidates.empty()) break;
            if (!first && settings_.redraw_folds) redraw_folds();
            const std::vector<Weight> errors = judge_all(candidates);
            if (errors.empty()) {
                if (first) tell(-1, -1, 0);
                result_.status =
                    budget_.deadline_passed() ? EliminationStatus::time_limit : EliminationStatus::interrupted;
                break;
            }
            if (first) tell(-1, errors[0], 1);
            result_.n_trees += candidates.size() + (first ? 1 : 0);
            // Ties go to the lowest unit: the first of the least.
            const auto best = std::min_element(errors.begin() + 1, errors.end());
            if (best == errors.end() || *best > errors[0]) break;
            const std::uint32_t removed = candidates[static_cast<std::size_t>(best - errors.begin()) - 1];
            remove(removed);
            tell(removed, *best, candidates.size());
        }
        result_.units = present_;
        result_.error = result_.steps.back().error;
        return std::move(result_);
    }

  private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] std::size_t unit_size(std::uint32_t unit) const { return settings_.units[unit].size(); }

    [[nodiscard]] std::vector<std::uint32_t> removable() const {
        std::vector<std::uint32_t> units;
        for (const std::uint32_t unit : present_)
            if (!std::ranges::binary_search(settings_.keep, unit) && size_ >= settings_.min_features + unit_size(unit))
                units.push_back(unit);
        return units;
    }

    [[nodiscard]] std::vector<std::uint32_t> present_features() const {
        std::vector<std::uint32_t> features;
        for (const std::uint32_t unit : present_)
            features.insert(features.end(), settings_.units[unit].begin(), settings_.units[unit].end());
        return features;
    }

    void fill_cells() {
        const std::vector<std::uint32_t> rows = weighty_rows(dataset_);
        const CellDivision division = divide(dataset_, rows, feature_at_);
        const std::size_t n_cells = division.n_cells(), n_features = feature_at_.size();
        std::vector<Code> codes(n_cells * n_features);
        for (const std::uint32_t place : division.first_row) row_of_cell_.push_back(rows[place]);
        for (std::size_t place = 0; place < n_features; ++place) {
            const CodeArray& column = dataset_.column(feature_at_[place]).codes;
            for (std::size_t cell = 0; cell < n_cells; ++cell)
                codes[cell * n_features + place] = static_cast<Code>(column[row_of_cell_[cell]]);
        }
        counts_.n_classes = dataset_.n_classes();
        counts_.weights.assign(n_cells * counts_.n_classes, 0);
        counts_.n_samples.assign(n_cells, 0);
        const auto weights = dataset_.weights();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::uint32_t row = rows[i];
            const Weight weight = weights.empty() ? dataset_.scale().one() : weights[row];
            const std::uint32_t fold = settings_.folds.empty() ? 0 : settings_.folds[row];
            samples_.push_back({row, division.cell_of[i], fold, dataset_.labels()[row], weight});
            counts_.of(division.cell_of[i])[samples_.back().label] += weight;
            ++counts_.n_samples[division.cell_of[i]];
        }
        distances_.emplace(std::move(codes), n_cells, n_features, settings_.memory_limit, budget_, pool_);
        result_.peak_bytes = distances_->nbytes();
        sort_samples();
    }

    /// Samples that are judged alike stand together.
    void sort_samples() {
        std::ranges::sort(samples_, {}, [](const Sample& sample) {
            return std::tuple(sample.fold, sample.cell, sample.label, sample.weight);
        });
        segments_.clear();
        fold_starts_.clear();
        for (std::size_t i = 0; i < samples_.size(); ++i) {
            const bool same_fold = i > 0 && samples_[i].fold == samples_[i - 1].fold;
            if (!same_fold) fold_starts_.push_back(segments_.size());
            if (same_fold && samples_[i].cell == samples_[i - 1].cell)
                segments_.back().end = i + 1;
            else
                segments_.push_back({i, i + 1});
        }
        fold_starts_.push_back(segments_.size());
    }

    void redraw_folds() {
        const std::vector<std::uint32_t> folds =
            redrawn_folds(dataset_, settings_.folds, settings_.seed, result_.steps.size() - 1);
        for (Sample& sample : samples_) sample.fold = folds[sample.row];
        sort_samples();
    }

    /// The errors with all units that are present and without each candidate; empty if the budget ended it.
    [[nodiscard]] std::vector<Weight> judge_all(const std::vector<std::uint32_t>& candidates) {
        std::vector<PlaceRange> ranges;
        for (const std::uint32_t unit : candidates) ranges.push_back(ranges_[unit]);
        std::vector<Judge<Code, Distance>> judges;
        for (std::size_t worker = 0; worker < pool_.size(); ++worker)
            judges.emplace_back(*distances_, ranges, counts_.n_classes);
        if (settings_.folds.empty())
            leave_one_out(judges);
        else
            leave_folds_out(judges);
        if (budget_.spent()) return {};
        progress_.work_done.store((result_.steps.size() + 1) * samples_.size(), std::memory_order_relaxed);
        std::vector<Weight> errors(1 + candidates.size(), 0);
        for (const auto& judge : judges)
            for (std::size_t i = 0; i < errors.size(); ++i) errors[i] += judge.errors()[i];
        return errors;
    }

    void leave_one_out(std::vector<Judge<Code, Distance>>& judges) {
        constexpr std::size_t segments_per_task = 16;
        pool_.run((segments_.size() + segments_per_task - 1) / segments_per_task,
                  [&](std::size_t worker, std::size_t task) {
                      if (budget_.check_deadline()) return;
                      std::vector<Weight> own(counts_.n_classes), held(counts_.n_classes, 0);
                      const std::size_t end = std::min(segments_.size(), (task + 1) * segments_per_task);
                      for (std::size_t s = task * segments_per_task; s < end; ++s) {
                          const Segment segment = segments_[s];
                          const std::uint32_t cell = samples_[segment.begin].cell;
                          // One look serves all samples of the cell: only its own weights change when one of them is
                          // left out.
                          judges[worker].look(cell, counts_, segment.end - segment.begin > 1);
                          std::size_t next = segment.begin;
                          for (std::size_t i = segment.begin; i < segment.end; i = next) {
                              const Sample& sample = samples_[i];
                              while (next < segment.end && samples_[next].label == sample.label &&
                                     samples_[next].weight == sample.weight)
                                  ++next;
                              std::copy_n(counts_.of(cell), counts_.n_classes, own.begin());
                              own[sample.label] -= sample.weight;
                              held[sample.label] = sample.weight;
                              judges[worker].judge(own, held, static_cast<Weight>(next - i));
                              held[sample.label] = 0;
                          }
                          note_looked(segment);
                      }
                  });
        result_.n_scans += segments_.size();
    }

    void leave_folds_out(std::vector<Judge<Code, Distance>>& judges) {
        std::vector<CellCounts> left(pool_.size());
        pool_.run(fold_starts_.size() - 1, [&](std::size_t worker, std::size_t fold) {
            CellCounts& counts = left[worker];
            if (counts.n_samples.empty()) counts = counts_;
            const std::span segments =
                std::span(segments_).subspan(fold_starts_[fold], fold_starts_[fold + 1] - fold_starts_[fold]);
            const auto each_sample = [&](auto visit) {
                for (std::size_t i = segments.front().begin; i < segments.back().end; ++i) visit(samples_[i]);
            };
            each_sample([&](const Sample& sample) {
                counts.of(sample.cell)[sample.label] -= sample.weight;
                --counts.n_samples[sample.cell];
            });
            std::vector<Weight> held(counts_.n_classes);
            for (const Segment segment : segments) {
                if (budget_.check_deadline()) break;
                const std::uint32_t cell = samples_[segment.begin].cell;
                std::ranges::fill(held, 0);
                for (std::size_t i = segment.begin; i < segment.end; ++i) held[samples_[i].label] += samples_[i].weight;
                judges[worker].look(cell, counts, counts.n_samples[cell] > 0);
                judges[worker].judge(std::span<const Weight>(counts.of(cell), counts_.n_classes), held, 1);
                note_looked(segment);
            }
            each_sample([&](const Sample& sample) {
                counts.of(sample.cell)[sample.label] += sample.weight;
                ++counts.n_samples[sample.cell];
            });
        });
        result_.n_scans += segments_.size();
    }

    void note_looked(Segment segment) {
        progress_.work_done.fetch_add(segment.end - segment.begin, std::memory_order_relaxed);
    }

    void remove(std::uint32_t unit) {
        std::erase(present_, unit);
        size_ -= unit_size(unit);
        std::vector<std::uint32_t> places;
        for (std::uint32_t place = ranges_[unit].begin; place < ranges_[unit].end; ++place) places.push_back(place);
        distances_->remove(places, pool_);
        if (merge_cells()) sort_samples();
    }

    /// Merges the cells that have become alike; true if there were any.
    bool merge_cells() {
        std::vector<std::uint32_t> alive, rows;
        for (std::uint32_t cell = 0; cell < counts_.n_samples.size(); ++cell)
            if (counts_.n_samples[cell] > 0) {
                alive.push_back(cell);
                rows.push_back(row_of_cell_[cell]);
            }
        const CellDivision division = divide(dataset_, rows, present_features());
        if (division.n_cells() == alive.size()) return false;

        std::vector<std::uint32_t> cell_now(counts_.n_samples.size());
        for (std::size_t i = 0; i < alive.size(); ++i) {
            const std::uint32_t target = alive[division.first_row[division.cell_of[i]]];
            cell_now[alive[i]] = target;
            if (target == alive[i]) continue;
            for (std::size_t k = 0; k < counts_.n_classes; ++k)
                counts_.of(target)[k] += std::exchange(counts_.of(alive[i])[k], 0);
            counts_.n_samples[target] += std::exchange(counts_.n_samples[alive[i]], 0);
        }
        // Rows of merged cells are only passed over; they are worth a copy of the table once they are many.
        if (4 * division.n_cells() < 3 * distances_->n_cells()) {
            std::vector<std::uint32_t> survivors, number(counts_.n_samples.size());
            for (const std::uint32_t place : division.first_row) {
                number[alive[place]] = static_cast<std::uint32_t>(survivors.size());
                survivors.push_back(alive[place]);
            }
            distances_->keep_cells(survivors);
            for (std::size_t to = 0; to < survivors.size(); ++to) {
                const std::uint32_t from = survivors[to];
                row_of_cell_[to] = row_of_cell_[from];
                counts_.n_samples[to] = counts_.n_samples[from];
                std::copy_n(counts_.of(from), counts_.n_classes, counts_.of(to));
            }
            row_of_cell_.resize(survivors.size());
            counts_.n_samples.resize(survivors.size());
            counts_.weights.resize(survivors.size() * counts_.n_classes);
            for (std::uint32_t& cell : cell_now) cell = number[cell];
        }
        for (Sample& sample : samples_) sample.cell = cell_now[sample.cell];
        return true;
    }

    void tell(std::int64_t removed, ErrorWeight error, std::uint64_t n_tables) {
        EliminationStep& step = result_.steps.emplace_back();
        step.removed = removed;
        step.error = error;
        step.size = size_;
        step.trees_built = n_tables;
        step.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
        progress_.error.store(error, std::memory_order_relaxed);
        progress_.size.store(size_, std::memory_order_relaxed);
        progress_.trees_built.fetch_add(n_tables, std::memory_order_relaxed);
    }

    const Dataset& dataset_;
    const TablePruningSettings& settings_;
    Budget& budget_;
    EliminationProgress& progress_;
    WorkerPool pool_;
    const Clock::time_point start_ = Clock::now();

    std::vector<PlaceRange> ranges_;          // of each unit
    std::vector<std::uint32_t> feature_at_;   // the feature at each place of a cell's codes
    std::vector<std::uint32_t> present_;      // units, ascending
    std::size_t size_ = 0;                    // features of those
    std::vector<std::uint32_t> row_of_cell_;  // a row of the dataset that is in the cell
    CellCounts counts_;
    std::optional<CellDistances<Code, Distance>> distances_;  // made once the cells are known
    std::vector<Sample> samples_;
    std::vector<Segment> segments_;
    std::vector<std::size_t> fold_starts_;  // in segments_, and its end
    EliminationResult result_;
};

void check(const Dataset& dataset, const TablePruningSettings& settings) {
    if (dataset.n_features() > most_pruned_features)
        throw std::invalid_argument("a decision table takes at most " + std::to_string(most_pruned_features) +
                                    " features, got " + std::to_string(dataset.n_features()));
    std::vector<std::uint32_t> features;
    for (const auto& unit : settings.units) features.insert(features.end(), unit.begin(), unit.end());
    std::ranges::sort(features);
    for (std::size_t i = 0; i < features.size(); ++i)
        if (features[i] != i) throw std::invalid_argument("the units must hold every feature once");
    if (features.size() != dataset.n_features()) throw std::invalid_argument("the units must hold every feature once");
    if (std::ranges::any_of(settings.keep, [&](std::uint32_t unit) { return unit >= settings.units.size(); }) ||
        !std::ranges::is_sorted(settings.keep))
        throw std::invalid_argument("the units to keep must be ascending numbers of units");
    if (!settings.folds.empty() && settings.folds.size() != dataset.n_rows())
        throw std::invalid_argument("there must be a fold for each row");
    if (settings.redraw_folds && settings.folds.empty())
        throw std::invalid_argument("there are no folds to draw anew in leave-one-out");
}

template <class Code>
EliminationResult prune(const Dataset& dataset, const TablePruningSettings& settings, Budget& budget,
                        EliminationProgress& progress) {
    // One value is the distance of a cell from itself.
    if (dataset.n_features() < std::numeric_limits<std::uint8_t>::max())
        return TablePruner<Code, std::uint8_t>(dataset, settings, budget, progress)();
    return TablePruner<Code, std::uint16_t>(dataset, settings, budget, progress)();
}

}  // namespace
}  // namespace oblivious

EliminationResult prune_table(const Dataset& dataset, const TablePruningSettings& settings, Budget& budget,
                              EliminationProgress& progress) {
    oblivious::check(dataset, settings);
    std::uint32_t most_values = 0;
    for (std::size_t feature = 0; feature < dataset.n_features(); ++feature)
        most_values = std::max(most_values, dataset.column(feature).n_values);
    if (most_values <= std::numeric_limits<std::uint8_t>::max())
        return oblivious::prune<std::uint8_t>(dataset, settings, budget, progress);
    return oblivious::prune<std::uint32_t>(dataset, settings, budget, progress);
}

}  // namespace palmette
