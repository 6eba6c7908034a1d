// ProfitTable: the pairs of the kernels that wait, by what each is expected to gain, best first; and what becomes of a
// pool of kernels whose best pair runs again and again.
//
// Jiao, Lu, Huynh and Mitra, "Improving GPGPU Energy-Efficiency through Concurrent Kernel Execution and DVFS", section
// 5, tables 4 to 8. A value of one thread at a time.
//
//   schedule::ProfitTable profits({.goal = schedule::Goal::energy});
//   profits.add(fma, forecasts);
//   profits.add(copy, forecasts);
//   if (const schedule::ProfitRow* best = profits.best()) run_together(best->first, best->second, best->forecast);
//   profits.remove(fma);
#pragma once

#include <array>
#include <vector>

#include "wattune/schedule/pair_table.h"

namespace wattune::schedule {

struct ProfitRow {
  KernelId first = 0;
  KernelId second = 0;
  PairForecast forecast = {};  // in this order
  double profit = 0.0;         // merit over one after the other, less one; above 0
};

class ProfitTable {
 public:
  explicit ProfitTable(const Objective& objective = {}) : objective_(objective) {}

  // Its rows with all kernels that are there: one forecast for each. Nothing where it is there.
  void add(KernelId kernel, const PairTable& forecasts);
  // With its rows.
  void remove(KernelId kernel);
  // Rows of pairs whose forecasts were missing when their second kernel came.
  void complete(const PairTable& forecasts);

  const std::vector<KernelId>& kernels() const { return kernels_; }  // in the order in which they came
  const std::vector<ProfitRow>& rows() const { return rows_; }       // the highest profit first
  const ProfitRow* best() const { return rows_.empty() ? nullptr : &rows_.front(); }

 private:
  void append(KernelId first, KernelId second, const PairTable& forecasts);
  void sort_from(std::size_t old_rows);

  Objective objective_;
  std::vector<KernelId> kernels_;
  std::vector<ProfitRow> rows_;
  std::vector<std::array<KernelId, 2>> unknown_;
};

// A kernel of a pool, with the blocks that are left of it.
struct PoolKernel {
  KernelId kernel = 0;
  double blocks = 0.0;
  double blocks_per_second = 0.0;  // alone
};

struct PoolPhase {
  ProfitRow pair;
  double seconds = 0.0;
  std::array<double, 2> blocks = {};  // that ran of each
};

struct PoolPlan {
  std::vector<PoolPhase> phases;
  std::vector<PoolKernel> alone;  // what no pair is left for: one after the other
};

// The best pair runs until one of the two is done, which leaves the table, and again. Without the ends of blocks.
// Precondition: `profits` has the kernels of the pool.
PoolPlan plan_pool(std::vector<PoolKernel> pool, ProfitTable profits);

}  // namespace wattune::schedule
