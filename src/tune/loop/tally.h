// Tally: the state of a search so far: the counts, the best Trial, and the Trials that may come into the final.
#pragma once

#include <string>
#include <vector>

#include "tune/loop/contenders.h"
#include "wattune/tune/tuning.h"

namespace wattune::inline v0_1::tune {

class Tally {
 public:
  Tally(const std::vector<std::string>& devices, Uint128 space_size, ConfigurationId default_id,
        std::optional<double> slowdown = {});

  // Counts the Trial; returns true if it is the new best.
  bool add(const Trial& trial, bool resumed);
  // Adds a Trial of the final, whose configuration was correct before.
  void add_of_final(const Trial& trial);
  void note(std::size_t device, const Pipeline& pipeline);
  ConfigurationId default_id() const { return default_id_; }
  bool is_default(const Trial& trial) const { return trial.configuration.id() == default_id_; }

  search::Progress progress;
  TuningResult result;
  Contenders contenders;

 private:
  void take_best();
  void count_samples(const Observation& observation);

  const ConfigurationId default_id_;
};

}  // namespace wattune::tune
