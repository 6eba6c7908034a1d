#include "schedule/policy/shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "schedule/policy/clock_choice.h"

namespace wattune::inline v0_1::schedule {

namespace {

constexpr unsigned kWavesAlone = 4;  // waves in a slice of a kernel alone; few, so that no arrival waits long

// Returns a text such as ", at 1228 and 324 MHz".
std::string clocks_text(const std::optional<backend::BoardSetting>& clocks) {
  if (!clocks || !clocks->graphics) return "";
  const std::string memory = clocks->memory ? fmt::format(" and {:g}", clocks->memory->value()) : "";
  return fmt::format(", at {:g}{} MHz", clocks->graphics->value(), memory);
}

constexpr double kUnreachableGain = 1e6;  // a gain that is larger than that of any pair

// Returns a text such as "2:6 blocks on each SM" or "96 SMs for the first, whole".
std::string shape_text(const PairShape& shape) {
  const std::string_view many = shape.many_streams ? "in many streams" : "";
  if (shape.urgent)
    return fmt::format("{}{}with priority for the {}", many, many.empty() ? "" : " ",
                       *shape.urgent == 0 ? "first" : "second");
  if (shape.many_streams) return std::string(many);
  if (shape.is_in_streams()) return "in two streams";
  if (!shape.sms_of_first) return fmt::format("{}:{} blocks on each SM", shape.ratio.first, shape.ratio.second);
  return fmt::format("{} SMs for the first{}", *shape.sms_of_first, shape.whole ? ", whole" : "");
}

}  // namespace

bool is_same_share(Share one, const Share& other) {
  one.shared_bytes = other.shared_bytes;
  return one == other;
}

Share whole_share(const Candidate& work, const SmRange& sms) { return {.work = work.work, .sms = sms}; }

SmRange rest_of(const SmRange& taken, unsigned sms) {
  return taken.first > 0 ? SmRange{0, taken.first} : SmRange{taken.count, sms - taken.count};
}

Share slices_share(const Candidate& work, unsigned per_sm, const QueueView& view, const PolicyOptions& options) {
  const std::uint64_t wave = static_cast<std::uint64_t>(per_sm) * view.limits.sms;
  const std::uint64_t waves = std::max<std::uint64_t>(1, (work.traits->least_slice + wave - 1) / wave);
  return {.work = work.work,
          .form = Form::slices,
          .per_sm = per_sm,
          .slice_blocks = waves * wave,
          .in_flight = options.slices_in_flight};
}

Share shared_share(const Candidate& work, unsigned per_sm, const QueueView& view, const PolicyOptions& options) {
  if (!work.traits->persistent) return slices_share(work, per_sm, view, options);
  return {.work = work.work, .form = Form::persistent, .per_sm = per_sm};
}

std::vector<Share> shares_of(const CandidatePair& pair, const QueueView& view, const PolicyOptions& options) {
  const PairForecast& forecast = pair.forecast;
  if (forecast.shape().is_in_streams()) {
    std::vector<Share> shares = {whole_share(*pair.first), whole_share(*pair.second)};
    if (forecast.urgent) shares[*forecast.urgent].priority = 1;
    return shares;
  }
  if (!forecast.sms_of_first)
    return {shared_share(*pair.first, forecast.ratio.first, view, options),
            shared_share(*pair.second, forecast.ratio.second, view, options)};
  // The ranges do not depend on the order of the two; otherwise a new order would restart both.
  const bool in_order = pair.first->kernel <= pair.second->kernel;
  auto ranges = split_ranges(view.limits, in_order ? *forecast.sms_of_first : view.limits.sms - *forecast.sms_of_first);
  if (!in_order) std::swap(ranges[0], ranges[1]);
  if (forecast.whole) return {whole_share(*pair.first, ranges[0]), whole_share(*pair.second, ranges[1])};
  const auto all_of = [](const Candidate& work, const SmRange& sms) {
    return Share{.work = work.work,
                 .form = Form::persistent,
                 .per_sm = std::max(1U, work.traits->profile.blocks_alone),
                 .sms = sms};
  };
  return {all_of(*pair.first, ranges[0]), all_of(*pair.second, ranges[1])};
}

Plan unchanged(const QueueView& view, double speedup, std::string reason) {
  Plan plan{.speedup = speedup, .reason = std::move(reason)};
  for (const Candidate* work : running_works(view)) plan.shares.push_back(*work->running);
  return plan;
}

std::vector<const Candidate*> first_of_each_kernel(const QueueView& view) {
  std::vector<const Candidate*> firsts;
  std::vector<KernelId> seen;
  for (const Candidate& work : view.works) {
    if (work.left <= 0.0 || std::ranges::find(seen, work.kernel) != seen.end()) continue;
    seen.push_back(work.kernel);
    firsts.push_back(&work);
  }
  return firsts;
}

std::vector<const Candidate*> running_works(const QueueView& view) {
  std::vector<const Candidate*> running;
  for (const Candidate& work : view.works)
    if (work.running) running.push_back(&work);
  return running;
}

int urgency(const Candidate& work, const QueueView& view, const PolicyOptions& options) {
  const bool overdue = options.patience > 0.0 && work.traits->alone &&
                       view.now - work.submitted > options.patience * *work.traits->alone;
  return work.priority + (overdue ? 1 : 0);
}

std::optional<std::array<const Candidate*, 2>> only_two(const QueueView& view, const PolicyOptions& options) {
  std::array<const Candidate*, 2> two = {&view.works.front(), nullptr};
  for (const Candidate& work : view.works) {
    if (urgency(work, view, options) != urgency(*two[0], view, options)) return {};
    if (work.kernel == two[0]->kernel || (two[1] != nullptr && work.kernel == two[1]->kernel)) continue;
    if (two[1] != nullptr) return {};
    two[1] = &work;
  }
  return two[1] != nullptr ? std::optional(two) : std::nullopt;
}

std::optional<PairForecast> forecast_now(const QueueView& view, const PairTable& table, KernelId first,
                                         KernelId second) {
  if (view.clocks.must_hold())
    if (auto there = table.find(first, second, *view.clocks.held)) return there;
  return table.find(first, second);
}

double clock_handicap(const PairForecast& forecast, const ClockView& clocks, const PolicyOptions& options) {
  if (!clocks.can_set || !clocks.held || forecast.clocks == clocks.held) return 1.0;
  return clocks.may_change ? 1.0 + options.margin : kUnreachableGain;
}

std::string describe(const CandidatePair& pair) {
  const PairForecast& forecast = pair.forecast;
  const std::string how = shape_text(forecast.shape());
  const std::string joules =
      forecast.watts ? fmt::format(", {:.2f} times the work per joule", forecast.energy_gain()) : "";
  return fmt::format("{} with {}, {}, {:.2f} times as fast as one after the other{}{}", pair.first->traits->name,
                     pair.second->traits->name, how, forecast.speedup(), joules, clocks_text(forecast.clocks));
}

bool runs_sliced_pair(const QueueView& view) {
  const auto running = running_works(view);
  return running.size() == 2 && running[0]->running->form == Form::slices &&
         running[1]->running->form == Form::slices && running[0]->left > 0.0 && running[1]->left > 0.0;
}

std::vector<const Candidate*> sliceable_kernels(const QueueView& view) {
  std::vector<const Candidate*> works = first_of_each_kernel(view);
  std::erase_if(works, [](const Candidate* work) { return !work->traits->sliceable; });
  return works;
}

Plan slices_of(const CandidatePair& pair, const QueueView& view, const PolicyOptions& options) {
  return {.shares = {slices_share(*pair.first, pair.forecast.ratio.first, view, options),
                     slices_share(*pair.second, pair.forecast.ratio.second, view, options)},
          .clocks = pair.forecast.clocks,
          .speedup = pair.forecast.speedup(),
          .reason = describe(pair)};
}

Plan oldest_in_slices(const QueueView& view, const PolicyOptions& options) {
  if (view.works.empty()) return {};
  const Candidate& oldest = first_at_clocks(view, options, [](const Candidate&) { return true; });
  const unsigned resident = std::max(1U, oldest.traits->profile.blocks_alone);
  const Share share =
      oldest.traits->sliceable ? slices_share(oldest, kWavesAlone * resident, view, options) : whole_share(oldest);
  return {.shares = {share},
          .clocks = oldest.traits->best_clocks,
          .reason = oldest.traits->name + " alone, as no pair is expected to gain"};
}

}  // namespace wattune::schedule
