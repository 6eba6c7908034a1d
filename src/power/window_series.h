// WindowSeries runs windows of one load until they agree, and rejects windows in which the clock, throttling or
// temperature of the board was not right.
#pragma once

#include <optional>
#include <vector>

#include "power/window.h"

namespace wattune::inline v0_1::power {

class WindowSeries {
 public:
  // Prepares a series. All arguments must outlive the series. A window that ends early is the last one.
  WindowSeries(Recorder& recorder, const RunBatch& run, const EnergyOptions& options, const IsEnough& shows_enough)
      : recorder_(recorder), run_(run), options_(options), shows_enough_(shows_enough) {}

  // Runs windows until they agree, until there are as many as wanted, or until there is no time for another. At most
  // three rejected windows are replaced. If no window is accepted, the last one counts. Fails as measure_window() does.
  Result<void> measure();

  // Returns the accepted windows, at least one.
  const std::vector<WindowFigures>& windows() const { return windows_; }
  const RejectedWindows& rejected() const { return rejected_; }

 private:
  bool is_enough() const;
  // True if the window counts; otherwise counts the reason in RejectedWindows.
  bool is_accepted(const BoardConditions& board);
  bool is_alike(const BoardConditions& board) const;

  Recorder& recorder_;
  const RunBatch& run_;
  const EnergyOptions& options_;
  const IsEnough& shows_enough_;
  std::vector<WindowFigures> windows_;
  RejectedWindows rejected_;
};

// Returns half of the 95 % interval of the median energy, as a share of it; nullopt for fewer than three windows.
std::optional<double> spread_of(const std::vector<WindowFigures>& windows);

}  // namespace wattune::power
