// Results: a run with its Trials, as Python reads them.
#pragma once

#include <optional>

#include "module.h"
#include "wattune/core/trial.h"
#include "wattune/tune/tuning.h"

namespace wattune::python {

// The Trials that count, of a run or of a file.
struct Results {
  ResultSet set;                             // with the Trials that count
  std::optional<tune::TuningResult> result;  // nullopt for those of a file
};

// Returns the Trial as a dict of its parameters, its time in seconds and its other figures.
nb::dict record_of(const Trial& trial);

// A sink that keeps every Trial, and passes it on to another sink if there is one.
class Keeper : public TrialSink {
 public:
  void pass_on_to(TrialSink* next) { next_ = next; }
  Result<void> add(const Trial& trial) override {
    if (next_ != nullptr) WATTUNE_TRY(next_->add(trial));
    trials_.push_back(trial);
    return {};
  }
  const std::vector<Trial>& trials() const { return trials_; }
  std::vector<Trial> take() { return std::move(trials_); }

 private:
  TrialSink* next_ = nullptr;
  std::vector<Trial> trials_;
};

// Returns the Trials of earlier runs and of this one, those that count.
ResultSet all_of(RunInfo info, const std::vector<Trial>& earlier, std::vector<Trial> trials);

}  // namespace wattune::python
