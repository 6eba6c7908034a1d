#include "model/interface/pair_power.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "core/normal.h"
#include "model/interface/same_clock.h"

namespace wattune::inline v0_1::model {

namespace {

Error unpredictable(std::string message, std::string what) {
  return Error(ErrorCode::invalid_argument, std::move(message)).about(std::move(what)).with_context("pair over clocks");
}

bool is_positive_number(double value) { return value > 0.0 && std::isfinite(value); }
bool is_non_negative(double value) { return value >= 0.0 && std::isfinite(value); }

Result<void> check_board(const BoardOverClocks& board) {
  if (board.idle.empty()) return unpredictable("the board has no clocks", "0 clocks");
  for (const IdleAtClock& idle : board.idle)
    if (!is_positive_number(idle.clock.value()) || !is_positive_number(idle.power.value()))
      return unpredictable("an idle board has no positive clock and power",
                           fmt::format("{} MHz, {} W", idle.clock.value(), idle.power.value()));
  const auto not_above = [](const IdleAtClock& one, const IdleAtClock& next) { return !(one.clock < next.clock); };
  if (const auto found = std::ranges::adjacent_find(board.idle, not_above); found != board.idle.end())
    return unpredictable("the board's clocks do not ascend",
                         fmt::format("{} MHz after {}", std::next(found)->clock.value(), found->clock.value()));
  if (board.limit && !(*board.limit > board.idle.front().power))
    return unpredictable(fmt::format("the board draws {} W with nothing to do", board.idle.front().power.value()),
                         fmt::format("{} W", board.limit->value()))
        .hint("set a higher power cap");
  return {};
}

Result<void> check_errors(std::initializer_list<double> errors) {
  for (const double error : errors)
    if (!is_non_negative(error)) return unpredictable("a standard deviation is at least 0", fmt::format("{}", error));
  return {};
}

Result<void> check_solo(const BoardOverClocks& board, const SoloKernel& kernel) {
  const auto at_same_clock = [](const ClockRun& run, const IdleAtClock& idle) {
    return same_clock(run.clock, idle.clock);
  };
  if (!std::ranges::equal(kernel.runs, board.idle, at_same_clock))
    return unpredictable("a kernel was not run alone at each of the board's clocks",
                         fmt::format("{} runs, {} clocks", kernel.runs.size(), board.idle.size()));
  for (const ClockRun& run : kernel.runs)
    if (!is_positive_number(run.time.value()) || !is_positive_number(run.power.value()))
      return unpredictable("a run alone has no positive time and power",
                           fmt::format("{} ns, {} W", run.time.value(), run.power.value()));
  const Utilisation& use = kernel.utilisation;
  if (!is_non_negative(use.pipeline) || !is_non_negative(use.memory))
    return unpredictable("a utilisation is at least 0", fmt::format("{} and {}", use.pipeline, use.memory));
  return check_errors({kernel.time_error, kernel.power_error});
}

Result<void> check_speeds(std::span<const PairSpeeds> speeds) {
  for (const PairSpeeds& each : speeds) {
    if (each.ratio.first == 0 || each.ratio.second == 0)
      return unpredictable("a kernel of the pair has no blocks",
                           fmt::format("{}:{}", each.ratio.first, each.ratio.second));
    if (!is_positive_number(each.rates[0]) || !is_positive_number(each.rates[1]))
      return unpredictable("a kernel of the pair has no speed", fmt::format("{} and {}", each.rates[0], each.rates[1]));
    for (const double factor : {each.factors.speed[0], each.factors.speed[1], each.factors.power})
      if (!is_positive_number(factor)) return unpredictable("a factor is not positive", fmt::format("{}", factor));
  }
  return {};
}

// The assumptions of a prediction. A prediction is computed once with these assumptions, and again with each of them
// off by one standard deviation.
struct Assumed {
  std::array<double, 2> time = {1.0, 1.0};  // time of each kernel alone, relative to the measured time
  std::array<double, 2> power = {1.0, 1.0};
  std::array<double, 2> rates = {1.0, 1.0};  // rate of each kernel beside the other, relative to the predicted rate
};

struct Together {
  std::array<double, 2> rates = {};
  double watts = 0.0;  // error of the power while both run
  double nanoseconds = 0.0;
  double joules = 0.0;
};

// For each figure of a prediction, the sum of the squared changes of its logarithm by one standard deviation of each
// assumption.
struct Variances {
  double speedup = 0.0;
  double time = 0.0;
  double power = 0.0;
  double energy = 0.0;

  void add(const Together& expected, const Together& other) {
    const auto square = [](double one, double another) { return std::pow(std::log(one / another), 2); };
    speedup += square(other.rates[0] + other.rates[1], expected.rates[0] + expected.rates[1]);
    time += square(other.nanoseconds, expected.nanoseconds);
    power += square(other.watts, expected.watts);
    energy += square(other.joules, expected.joules);
  }
};

template <typename Value>
Likely<Value> likely(double expected, double variance) {
  const double factor = std::exp(kNormal95 * std::sqrt(variance));
  return {Value(expected), Value(expected / factor), Value(expected * factor)};
}

class PairOverClocks {
 public:
  PairOverClocks(const BoardOverClocks& board, const SoloKernel& first, const SoloKernel& second,
                 const PairSpeeds& speeds)
      : board_(board), kernels_{&first, &second}, speeds_(speeds) {}

  // Returns the expected values, with the ranges that follow from the uncertainty of the inputs.
  PairPrediction prediction(std::size_t asked, const SpeedError& error) const {
    const std::size_t place = allowed(asked);
    const Together expected = at(place, {});
    const Variances variances = variances_at(place, expected, error);
    return {.ratio = speeds_.ratio,
            .asked = board_.idle[asked].clock,
            .clock = board_.idle[place].clock,
            .rates = expected.rates,
            .speedup = likely<double>(expected.rates[0] + expected.rates[1], variances.speedup),
            .time = likely<Nanoseconds>(expected.nanoseconds, variances.time),
            .power = likely<Watts>(expected.watts, variances.power),
            .idle = board_.idle[place].power,
            .added = {Watts(added(place, 0, {})), Watts(added(place, 1, {}))},
            .energy = likely<Joules>(expected.joules, variances.energy),
            .factors = speeds_.factors};
  }

 private:
  // Returns the pair's speed and power at the board's clock of this index.
  Together at(std::size_t place, const Assumed& assumed) const {
    Together pair{.rates = rates_at(place)};
    for (std::size_t k = 0; k < 2; ++k) pair.rates[k] *= assumed.rates[k];
    pair.watts = power_at(place, pair.rates, assumed);
    const std::array times = {duration(place, 0, pair.rates, assumed), duration(place, 1, pair.rates, assumed)};
    const double both = std::min(times[0], times[1]);
    const std::size_t last = times[0] > times[1] ? 0 : 1;
    const double rest = (times[last] - both) * pair.rates[last];
    pair.nanoseconds = both + rest;
    pair.joules = (both * pair.watts + rest * assumed.power[last] * run(place, last).power.value()) * 1e-9;
    return pair;
  }

  // Returns the index of the highest clock, up to this one, at which the power limit is kept.
  std::size_t allowed(std::size_t place) const {
    if (!board_.limit) return place;
    while (place > 0 && power_at(place, rates_at(place), {}) > board_.limit->value()) --place;
    return place;
  }

  double added(std::size_t place, std::size_t kernel, const Assumed& assumed) const {
    return std::max(0.0, assumed.power[kernel] * run(place, kernel).power.value() - board_.idle[place].power.value());
  }

  Variances variances_at(std::size_t place, const Together& expected, const SpeedError& error) const {
    Variances sum;
    for (const Assumed& assumed : deviations(error)) sum.add(expected, at(place, assumed));
    return sum;
  }

  // Returns a list of assumptions; in each one a different assumption is off by one standard deviation.
  std::vector<Assumed> deviations(const SpeedError& error) const {
    std::vector<Assumed> all(6);
    for (std::size_t k = 0; k < 2; ++k) {
      all[k].time[k] += kernels_[k]->time_error;
      all[2 + k].power[k] += kernels_[k]->power_error;
      all[4].rates[k] += error.of_both;
      all[5].rates[k] *= k == 0 ? 1.0 + error.of_one : 1.0 / (1.0 + error.of_one);
    }
    return all;
  }

  const ClockRun& run(std::size_t place, std::size_t kernel) const { return kernels_[kernel]->runs[place]; }

  double duration(std::size_t place, std::size_t kernel, const std::array<double, 2>& rates,
                  const Assumed& assumed) const {
    return assumed.time[kernel] * run(place, kernel).time.value() / rates[kernel];
  }

  // Returns a kernel's utilisation at a clock. At a lower clock a kernel uses less of the memory, because it gets
  // slower, and more of the cycles, because it slows down less than the clock.
  Utilisation use_at(std::size_t place, std::size_t kernel) const {
    const ClockRun& top = kernels_[kernel]->runs.back();
    const double speed = top.time / run(place, kernel).time;
    const Utilisation& use = kernels_[kernel]->utilisation;
    return {use.pipeline * speed * (top.clock / run(place, kernel).clock), use.memory * speed};
  }

  // Returns the speed of each kernel. If both together need more of a resource than there is, both slow down by the
  // same factor.
  std::array<double, 2> rates_at(std::size_t place) const {
    const Utilisation one = use_at(place, 0), other = use_at(place, 1);
    const auto& rates = speeds_.rates;
    const double most = std::max(
        {1.0, rates[0] * one.pipeline + rates[1] * other.pipeline, rates[0] * one.memory + rates[1] * other.memory});
    return {speeds_.factors.speed[0] * rates[0] / most, speeds_.factors.speed[1] * rates[1] / most};
  }

  // Returns the power while both run: the board's idle power, and for each kernel the power that it adds, multiplied by
  // its speed.
  double power_at(std::size_t place, const std::array<double, 2>& rates, const Assumed& assumed) const {
    return speeds_.factors.power * (board_.idle[place].power.value() + rates[0] * added(place, 0, assumed) +
                                    rates[1] * added(place, 1, assumed));
  }

  const BoardOverClocks& board_;
  std::array<const SoloKernel*, 2> kernels_;
  const PairSpeeds& speeds_;
};

// The names under which a pair's corrections are stored. A kernel's name includes its number of blocks, because errors
// differ between ratios.
struct Names {
  std::string first;
  std::string second;
  bool swapped = false;  // true if the first kernel's name sorts second
};

Names names_of(const std::string& first, const std::string& second, BlockRatio ratio) {
  Names names{fmt::format("{} {}", first, ratio.first), fmt::format("{} {}", second, ratio.second)};
  names.swapped = names.second < names.first;
  return names;
}

}  // namespace

Result<std::vector<PairPrediction>> predict_pair_at_clocks(const BoardOverClocks& board, const SoloKernel& first,
                                                           const SoloKernel& second, std::span<const PairSpeeds> speeds,
                                                           const SpeedErrors& errors) {
  WATTUNE_TRY(check_board(board));
  WATTUNE_TRY(check_solo(board, first));
  WATTUNE_TRY(check_solo(board, second));
  WATTUNE_TRY(check_speeds(speeds));
  for (const SpeedError& error : {errors.unmeasured, errors.measured})
    WATTUNE_TRY(check_errors({error.of_both, error.of_one}));
  std::vector<PairPrediction> predictions;
  for (const PairSpeeds& each : speeds) {
    const PairOverClocks pair(board, first, second, each);
    for (std::size_t place = 0; place < board.idle.size(); ++place)
      predictions.push_back(pair.prediction(place, each.factors.measured ? errors.measured : errors.unmeasured));
  }
  return predictions;
}

// Compares the power with the prediction for the measured speeds. With predicted speeds, the errors of the speeds would
// count twice.
void PairMeasurements::observe(const std::string& first, const std::string& second, const PairPrediction& predicted,
                               std::array<double, 2> rates, Watts power) {
  if (!std::ranges::all_of(rates, is_positive_number)) return;
  const Names names = names_of(first, second, predicted.ratio);
  for (std::size_t k = 0; k < 2; ++k)
    speed_[names.swapped ? 1 - k : k].observe(names.first, names.second,
                                              predicted.rates[k] / predicted.factors.speed[k], rates[k]);
  const Watts expected = predicted.idle + rates[0] * predicted.added[0] + rates[1] * predicted.added[1];
  if (is_positive_number(power.value())) power_.observe(names.first, names.second, expected.value(), power.value());
}

PairFactors PairMeasurements::factors(const std::string& first, const std::string& second, BlockRatio ratio) const {
  const Names names = names_of(first, second, ratio);
  const std::array speeds = {speed_[0].factor(names.first, names.second), speed_[1].factor(names.first, names.second)};
  return {.speed = {speeds[names.swapped ? 1 : 0], speeds[names.swapped ? 0 : 1]},
          .power = power_.factor(names.first, names.second),
          .measured = speed_[0].knows(names.first, names.second)};
}

}  // namespace wattune::model
