#include "schedule/interface/profit_table.h"

#include <algorithm>
#include <utility>

namespace wattune::inline v0_1::schedule {

namespace {

PoolKernel& find(std::vector<PoolKernel>& pool, KernelId kernel) {
  return *std::ranges::find(pool, kernel, &PoolKernel::kernel);
}

double speed_of(const PoolKernel& kernel, double rate) { return rate * kernel.blocks_per_second; }

// Returns the phase in which the pair runs until one of its kernels has no blocks left. Subtracts from each kernel the
// blocks that it runs in this phase.
PoolPhase run_phase(const ProfitRow& pair, PoolKernel& first, PoolKernel& second) {
  const double of_first = speed_of(first, pair.forecast.rates[0]);
  const double of_second = speed_of(second, pair.forecast.rates[1]);
  PoolPhase phase{.pair = pair, .seconds = std::min(first.blocks / of_first, second.blocks / of_second)};
  phase.blocks = {std::min(first.blocks, of_first * phase.seconds), std::min(second.blocks, of_second * phase.seconds)};
  first.blocks -= phase.blocks[0];
  second.blocks -= phase.blocks[1];
  return phase;
}

constexpr double kDone = 1e-9;  // number of blocks up to which a kernel counts as done, because of rounding

}  // namespace

void ProfitTable::append(KernelId first, KernelId second, const PairTable& forecasts) {
  const auto forecast = forecasts.find(first, second);
  if (!forecast) return unknown_.push_back({first, second});
  const double profit = merit(objective_, *forecast).value_or(0.0) - 1.0;
  if (profit > 0.0) rows_.push_back({first, second, *forecast, profit});
}

// Sorts the new rows into the old ones, which are in order. This is fast if there are few new rows.
void ProfitTable::sort_from(std::size_t old_rows) {
  const auto middle = rows_.begin() + static_cast<std::ptrdiff_t>(old_rows);
  const auto more = [](const ProfitRow& one, const ProfitRow& other) { return one.profit > other.profit; };
  std::stable_sort(middle, rows_.end(), more);
  std::inplace_merge(rows_.begin(), middle, rows_.end(), more);
}

void ProfitTable::add(KernelId kernel, const PairTable& forecasts) {
  if (std::ranges::find(kernels_, kernel) != kernels_.end()) return;
  const std::size_t old_rows = rows_.size();
  for (const KernelId other : kernels_) append(other, kernel, forecasts);
  kernels_.push_back(kernel);
  sort_from(old_rows);
}

void ProfitTable::remove(KernelId kernel) {
  std::erase(kernels_, kernel);
  std::erase_if(rows_, [&](const ProfitRow& row) { return row.first == kernel || row.second == kernel; });
  std::erase_if(unknown_, [&](const auto& pair) { return pair[0] == kernel || pair[1] == kernel; });
}

void ProfitTable::complete(const PairTable& forecasts) {
  const std::size_t old_rows = rows_.size();
  for (const auto& [first, second] : std::exchange(unknown_, {})) append(first, second, forecasts);
  sort_from(old_rows);
}

PoolPlan plan_pool(std::vector<PoolKernel> pool, ProfitTable profits) {
  PoolPlan plan;
  while (const ProfitRow* const best = profits.best()) {
    PoolKernel& first = find(pool, best->first);
    PoolKernel& second = find(pool, best->second);
    plan.phases.push_back(run_phase(*best, first, second));
    for (const PoolKernel* each : {&first, &second})
      if (each->blocks <= kDone) profits.remove(each->kernel);
  }
  std::erase_if(pool, [](const PoolKernel& kernel) { return kernel.blocks <= kDone; });
  plan.alone = std::move(pool);
  return plan;
}

}  // namespace wattune::schedule
