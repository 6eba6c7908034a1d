// The schedule of Jiao et al. (profit_table.h): the pair with the highest profit runs in slices until one of the two is
// done. If no pair gains, the oldest work runs alone. It gives way if an arrival makes a pair that gains.
#include <algorithm>
#include <vector>

#include "schedule/interface/profit_table.h"
#include "schedule/policy/shares.h"

namespace wattune::inline v0_1::schedule {

namespace {

// Returns the oldest work of the kernel.
const Candidate& work_of(const std::vector<const Candidate*>& works, KernelId kernel) {
  return **std::ranges::find(works, kernel, [](const Candidate* work) { return work->kernel; });
}

// Returns the row with its forecast at the clocks that must be held; nullopt if the pair does not gain there. (The rows
// of the table are for the best clocks.)
std::optional<ProfitRow> row_at_held(ProfitRow row, const QueueView& view, const PairTable& table,
                                     const PolicyOptions& options) {
  row.forecast = forecast_now(view, table, row.first, row.second).value_or(row.forecast);
  const auto merit = schedule::merit(options.objective, row.forecast);
  if (!merit || *merit <= 1.0) return std::nullopt;
  row.profit = *merit - 1.0;
  return row;
}

// Returns the row with the highest profit, after the handicap of rows for which clocks must be switched.
std::optional<ProfitRow> best_row(const ProfitTable& profits, const QueueView& view, const PairTable& table,
                                  const PolicyOptions& options) {
  std::optional<ProfitRow> best;
  double best_score = 0.0;
  for (const ProfitRow& each : profits.rows()) {
    const bool must_hold = view.clocks.must_hold();
    const auto held = must_hold ? row_at_held(each, view, table, options) : std::nullopt;
    if (must_hold && !held) continue;
    const ProfitRow& row = held ? *held : each;
    const double score = (1.0 + row.profit) / clock_handicap(row.forecast, view.clocks, options);
    if (score > best_score) best = row, best_score = score;
  }
  return best;
}

// Removes the rows of kernels that have no works any more, and adds rows for new kernels.
void keep_up(ProfitTable& profits, const std::vector<const Candidate*>& works, const PairTable& forecasts) {
  const std::vector<KernelId> before = profits.kernels();
  for (const KernelId kernel : before)
    if (std::ranges::find(works, kernel, [](const Candidate* work) { return work->kernel; }) == works.end())
      profits.remove(kernel);
  profits.complete(forecasts);
  for (const Candidate* work : works) profits.add(work->kernel, forecasts);
}

}  // namespace

Plan greedy_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options, ProfitTable& profits) {
  if (runs_sliced_pair(view)) return unchanged(view, 1.0, "the pair runs until one of the two has no slice left");
  const auto works = sliceable_kernels(view);
  keep_up(profits, works, table);
  const auto best = best_row(profits, view, table, options);
  if (!best) return oldest_in_slices(view, options);
  return slices_of({&work_of(works, best->first), &work_of(works, best->second), best->forecast}, view, options);
}

}  // namespace wattune::schedule
