// The schedule of Jiao et al. (profit_table.h): the pair of the highest profit in slices until one of the two is done,
// the oldest alone where none gains, which gives way to a pair that an arrival makes.
#include <algorithm>
#include <vector>

#include "schedule/shares.h"
#include "wattune/schedule/profit_table.h"

namespace wattune::schedule {

namespace {

// The oldest work of each kernel that waits or runs.
const Candidate& work_of(const std::vector<const Candidate*>& works, KernelId kernel) {
  return **std::ranges::find(works, kernel, [](const Candidate* work) { return work->kernel; });
}

// The highest profit, if clocks need not be switched for it.
const ProfitRow* best_row(const ProfitTable& profits, const QueueView& view, const PolicyOptions& options) {
  const ProfitRow* best = nullptr;
  double best_score = 0.0;
  for (const ProfitRow& row : profits.rows()) {
    const double score = (1.0 + row.profit) / clock_handicap(row.forecast, view.clocks, options);
    if (score > best_score) best = &row, best_score = score;
  }
  return best;
}

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
  const ProfitRow* const best = best_row(profits, view, options);
  if (best == nullptr) return oldest_in_slices(view, options);
  return slices_of({&work_of(works, best->first), &work_of(works, best->second), best->forecast}, view, options);
}

}  // namespace wattune::schedule
