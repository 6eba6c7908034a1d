#include "model/clock_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/normal.h"
#include "core/root_of_squares.h"
#include "model/interface/same_clock.h"

namespace wattune::inline v0_1::model {

namespace {

constexpr std::size_t kFewestGroups = 3;
constexpr double kNoise = 0.01;  // relative deviation of a repeated measurement at the same clock

Error unlearnable(std::string message, std::string what) {
  return Error(ErrorCode::invalid_argument, std::move(message)).about(std::move(what)).with_context("clock advice");
}

bool can_be(const ClockRun& run) {
  return run.clock > Megahertz(0) && run.time > Nanoseconds(0) && run.power > Watts(0) &&
         std::isfinite(run.clock.value()) && std::isfinite(run.time.value()) && std::isfinite(run.power.value());
}

Result<void> check_numbers(const KernelOverClocks& kernel) {
  for (const ClockRun& run : kernel.runs)
    if (!can_be(run))
      return unlearnable("a run has no positive clock, time and power",
                         fmt::format("{} MHz, {} ns, {} W", run.clock.value(), run.time.value(), run.power.value()));
  for (const double feature : kernel.features)
    if (!std::isfinite(feature)) return unlearnable("a feature is no number", fmt::format("{}", feature));
  return {};
}

Result<void> check_features(const KernelOverClocks& kernel, std::size_t features) {
  if (kernel.features.size() == features) return {};
  return unlearnable(fmt::format("the other kernels have {} features", features),
                     fmt::format("{}", kernel.features.size()));
}

std::vector<ClockRun> by_clock(std::vector<ClockRun> runs) {
  std::ranges::sort(runs, {}, &ClockRun::clock);
  return runs;
}

bool same_clocks(const std::vector<ClockRun>& some, const std::vector<ClockRun>& others) {
  return std::ranges::equal(
      some, others, [](const ClockRun& one, const ClockRun& other) { return same_clock(one.clock, other.clock); });
}

std::string clocks_text(const std::vector<ClockRun>& runs) {
  std::string text;
  for (const ClockRun& run : runs) text += fmt::format("{}{}", text.empty() ? "" : ", ", run.clock.value());
  return text + " MHz";
}

Result<void> check_known(std::span<const KernelOverClocks> kernels) {
  std::map<std::string, int> groups;
  for (const KernelOverClocks& kernel : kernels) {
    ++groups[kernel.group];
    WATTUNE_TRY(check_numbers(kernel));
    WATTUNE_TRY(check_features(kernel, kernels.front().features.size()));
    const auto runs = by_clock(kernel.runs);
    if (!same_clocks(runs, by_clock(kernels.front().runs)))
      return unlearnable("the kernels were not run at the same clocks", clocks_text(runs));
  }
  if (groups.size() < kFewestGroups)
    return unlearnable(fmt::format("advice needs kernels of {} groups at all clocks", kFewestGroups),
                       fmt::format("{} groups", groups.size()))
        .hint("measure kernels of other benchmarks at each clock");
  if (kernels.front().runs.size() < 2)
    return unlearnable("advice needs two clocks at least", clocks_text(kernels.front().runs));
  return {};
}

LogPoint log_point(const ClockRun& run, const ClockRun& top) {
  const double time = std::log(run.time / top.time);
  return {time, time + std::log(run.power / top.power)};
}

Eigen::VectorXd inputs_of(const KernelOverClocks& kernel, const ClockRun& top) {
  Eigen::VectorXd inputs(static_cast<Eigen::Index>(kernel.features.size()) + 1);
  std::ranges::copy(kernel.features, inputs.begin());
  inputs(inputs.size() - 1) = std::log(top.power.value());
  return inputs;
}

// Returns a vector with the times at all clocks except the highest, followed by the energies.
Eigen::VectorXd curve_of(const std::vector<ClockRun>& runs) {
  const auto below = static_cast<Eigen::Index>(runs.size()) - 1;
  Eigen::VectorXd curve(2 * below);
  for (Eigen::Index i = 0; i < below; ++i) {
    const LogPoint point = log_point(runs[static_cast<std::size_t>(i)], runs.back());
    curve(i) = point.time;
    curve(below + i) = point.energy;
  }
  return curve;
}

std::vector<std::size_t> numbered_groups(std::span<const KernelOverClocks> kernels) {
  std::map<std::string, std::size_t> numbers;
  std::vector<std::size_t> groups;
  for (const KernelOverClocks& kernel : kernels)
    groups.push_back(numbers.try_emplace(kernel.group, numbers.size()).first->second);
  return groups;
}

}  // namespace

double Outlook::expected_energy() const {
  return std::exp(measured ? mean.energy : mean.energy + deviation.energy * deviation.energy / 2.0);
}

double Outlook::chance_within(double log_time) const {
  if (measured) return mean.time <= log_time ? 1.0 : 0.0;
  return normal_share_below((log_time - mean.time) / deviation.time);
}

double Outlook::chance_below(double log_power) const {
  const double its = mean.energy - mean.time;
  if (measured) return its <= log_power ? 1.0 : 0.0;
  return normal_share_below((log_power - its) / root_of_squares(deviation.energy, deviation.time));
}

double Outlook::expected_gain_on(double log_energy) const {
  return expected_improvement(mean.energy, deviation.energy, log_energy);
}

double Outlook::expected_gain_on(const Outlook& other) const {
  const double of_this = measured ? 0.0 : deviation.energy;
  const double of_other = other.measured ? 0.0 : other.deviation.energy;
  if (measured && other.measured) return std::max(0.0, other.mean.energy - mean.energy);
  return expected_improvement(mean.energy, root_of_squares(of_this, of_other), other.mean.energy);
}

Result<ClockCurves> ClockCurves::learn(std::span<const KernelOverClocks> kernels) {
  WATTUNE_TRY(check_known(kernels));
  const KernelOverClocks& first = kernels.front();
  std::vector<Megahertz> clocks;
  for (const ClockRun& run : by_clock(first.runs)) clocks.push_back(run.clock);
  const auto rows = static_cast<Eigen::Index>(kernels.size());
  Eigen::MatrixXd inputs(rows, static_cast<Eigen::Index>(first.features.size()) + 1);
  Eigen::MatrixXd curves(rows, 2 * (static_cast<Eigen::Index>(clocks.size()) - 1));
  for (Eigen::Index i = 0; i < rows; ++i) {
    const KernelOverClocks& kernel = kernels[static_cast<std::size_t>(i)];
    const auto runs = by_clock(kernel.runs);
    inputs.row(i) = inputs_of(kernel, runs.back());
    curves.row(i) = curve_of(runs);
  }
  CurveRegression regression(inputs, curves, numbered_groups(kernels));
  return ClockCurves(std::move(clocks), first.features.size(), std::move(regression));
}

std::optional<std::size_t> ClockCurves::place_of(Megahertz clock) const {
  for (std::size_t i = 0; i < clocks_.size(); ++i)
    if (same_clock(clocks_[i], clock)) return i;
  return std::nullopt;
}

Result<std::vector<std::optional<ClockRun>>> ClockCurves::placed(const KernelOverClocks& kernel) const {
  WATTUNE_TRY(check_numbers(kernel));
  WATTUNE_TRY(check_features(kernel, features_));
  std::vector<std::optional<ClockRun>> runs(clocks_.size());
  for (const ClockRun& run : kernel.runs) {
    const auto place = place_of(run.clock);
    if (!place) return unlearnable("no other kernel was run at this clock", fmt::format("{} MHz", run.clock.value()));
    runs[*place] = run;
  }
  if (!runs.back())
    return unlearnable("the kernel was not run at the highest clock", fmt::format("{} MHz", clocks_.back().value()));
  return runs;
}

// Conditions the prediction on the runs, which makes it more certain at the other clocks, too. If a kernel seems faster
// at a lower clock, the measurement was disturbed, so its time there counts as unchanged.
Result<std::vector<Outlook>> ClockCurves::outlooks(const KernelOverClocks& kernel) const {
  WATTUNE_ASSIGN(const auto runs, placed(kernel));
  const std::size_t below = clocks_.size() - 1;
  std::vector<SeenEntry> seen;
  std::vector<Outlook> outlooks(clocks_.size(), {.mean = {}, .deviation = {kNoise, kNoise}, .measured = true});
  for (std::size_t i = 0; i < below; ++i) {
    outlooks[i].measured = runs[i].has_value();
    if (!runs[i]) continue;
    outlooks[i].mean = log_point(*runs[i], *runs.back());
    const double disturbed = std::max(0.0, -outlooks[i].mean.time);
    seen.push_back({static_cast<Eigen::Index>(i), outlooks[i].mean.time + disturbed});
    seen.push_back({static_cast<Eigen::Index>(below + i), outlooks[i].mean.energy + disturbed});
  }
  const Gaussian known = given(curves_.at(inputs_of(kernel, *runs.back())), seen, kNoise);
  for (std::size_t i = 0; i < below; ++i) {
    if (outlooks[i].measured) continue;
    const auto time = static_cast<Eigen::Index>(i), energy = static_cast<Eigen::Index>(below + i);
    const auto deviation = [&](Eigen::Index entry) {
      return std::sqrt(std::max(0.0, known.covariance(entry, entry)) + kNoise * kNoise);
    };
    outlooks[i] = {.mean = {known.mean(time), known.mean(energy)}, .deviation = {deviation(time), deviation(energy)}};
  }
  return outlooks;
}

}  // namespace wattune::model
