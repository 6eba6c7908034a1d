// ProgressDisplay: the progress of `wattune tune`, on standard error.
//
// A terminal shows one line that is redrawn in place, at most ten times a second. Elsewhere there is a line at each
// improvement and otherwise every five seconds, so that logs stay short. The log has a line for each configuration.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "wattune/tune/search.h"

namespace wattune::cli {

struct ProgressOptions {
  bool live = false;  // true if standard error is a terminal, on which a line is redrawn
  std::function<std::size_t()> width;
  std::function<void(std::string_view)> write;  // function that writes bytes to standard error
  search::StopRule stop;
  ConfigurationId default_id = 0;
  bool exact = true;                   // true if the size of the space is exact, false if it is an upper bound
  std::optional<Objective> objective;  // the objective; absent if it is the least time
};

// Returns the options for standard error of this process and a search of this space.
ProgressOptions progress_options(const search::StopRule& stop, const space::SearchSpace& space,
                                 std::optional<Objective> objective);

class ProgressDisplay : public tune::TuningObserver {
 public:
  // Starts from `recovered`, the Trials of an earlier run that this one continues.
  ProgressDisplay(ProgressOptions options, const std::vector<Trial>& recovered);

  void on_start(const search::Progress& progress, std::size_t resumed) override;
  void on_trial(const tune::TuningEvent& event) override;
  void on_final(std::size_t finalists) override;
  void on_device_lost(const std::string& device, const Error& error) override;
  // Clears the line that is redrawn.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void count(const Trial& trial);
  bool due(bool improved) const;
  void show(const search::Progress& progress);
  std::string figure(double objective) const;
  std::string best(double objective) const;
  std::string describe(const tune::TuningEvent& event) const;
  std::string line(const search::Progress& progress, std::size_t width) const;
  void add_pipeline(std::vector<std::string>& parts, const search::Progress& progress) const;
  std::optional<double> seconds_left(const search::Progress& progress) const;
  double evaluations_per_second(const search::Progress& progress) const;

  ProgressOptions options_;
  std::uint64_t resumed_ = 0;
  std::uint64_t failures_ = 0;
  std::optional<double> default_objective_;
  std::optional<tune::Pipeline> pipeline_;  // figures on compiling at the last Trial
  std::optional<Clock::time_point> shown_;
};

}  // namespace wattune::cli
