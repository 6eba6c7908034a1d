// WindowSeries: windows of one load until they agree, without those in which the board was not as it should be.
#pragma once

#include <vector>

#include "power/window.h"

namespace wattune::power {

class WindowSeries {
 public:
  // All outlive it. A window that ends early is the last one.
  WindowSeries(Recorder& recorder, const RunBatch& run, const EnergyOptions& options, const IsEnough& shows_enough)
      : recorder_(recorder), run_(run), options_(options), shows_enough_(shows_enough) {}

  // Until they agree, or there are enough, or there is no time for another. What is rejected is run again, three times
  // at most; where that leaves none the last one stands. Errors as of measure_window().
  Result<void> measure();

  // At least one.
  const std::vector<WindowFigures>& windows() const { return windows_; }
  const RejectedWindows& rejected() const { return rejected_; }

 private:
  bool is_enough() const;
  // Whether it counts; else it is noted why not.
  bool is_accepted(const BoardConditions& board);
  bool is_alike(const BoardConditions& board) const;

  Recorder& recorder_;
  const RunBatch& run_;
  const EnergyOptions& options_;
  const IsEnough& shows_enough_;
  std::vector<WindowFigures> windows_;
  RejectedWindows rejected_;
};

// Half of the 95 % interval of the median energy, as a share of it. 0 below three windows, which tell nothing.
double spread_of(const std::vector<WindowFigures>& windows);

}  // namespace wattune::power
