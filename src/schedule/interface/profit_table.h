// ProfitTable: the pairs of the waiting kernels, ordered by expected gain, best first. plan_pool() tells what becomes
// of a pool of kernels whose best pair runs again and again.
//
// The method is that of Jiao, Lu, Huynh and Mitra, "Improving GPGPU Energy-Efficiency through Concurrent Kernel
// Execution and DVFS", section 5, tables 4 to 8. A table is a value. One thread at a time uses it.
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

namespace wattune::inline v0_1::schedule {

// A pair with its expected gain.
struct ProfitRow {
  KernelId first = 0;
  KernelId second = 0;
  PairForecast forecast = {};  // forecast, with the kernels in this order
  double profit = 0.0;         // merit of the pair minus one; above 0
};

class ProfitTable {
 public:
  explicit ProfitTable(const Objective& objective = {}) : objective_(objective) {}

  // Adds the kernel: a row for its pair with each kernel in the table, from the pair's forecast. Does nothing if the
  // kernel is already in the table.
  void add(KernelId kernel, const PairTable& forecasts);
  // Removes the kernel and its rows.
  void remove(KernelId kernel);
  // Adds rows of pairs whose forecasts were missing when their second kernel was added.
  void complete(const PairTable& forecasts);

  const std::vector<KernelId>& kernels() const { return kernels_; }  // kernels in the order in which they were added
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

// A kernel of a pool, with the blocks that it has left.
struct PoolKernel {
  KernelId kernel = 0;
  double blocks = 0.0;
  double blocks_per_second = 0.0;  // speed of the kernel alone
};

// The time for which one pair of the pool runs.
struct PoolPhase {
  ProfitRow pair;
  double seconds = 0.0;
  std::array<double, 2> blocks = {};  // blocks of each kernel that ran
};

struct PoolPlan {
  std::vector<PoolPhase> phases;
  std::vector<PoolKernel> alone;  // kernels that have no pair left, and so run one after the other
};

// Plans a pool: the best pair runs until one of the two is done and leaves the table; then the next best pair runs, and
// so on. The idle time at the ends of blocks is ignored. Precondition: `profits` has the kernels of the pool.
PoolPlan plan_pool(std::vector<PoolKernel> pool, ProfitTable profits);

}  // namespace wattune::schedule
