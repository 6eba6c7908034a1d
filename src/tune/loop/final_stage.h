// FinalStage: the end of a search. It names the contestants of a final, and names others if no finalist proves correct.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tune/loop/final.h"
#include "tune/loop/tally.h"
#include "wattune/tune/search.h"

namespace wattune::inline v0_1::tune {

class FinalStage {
 public:
  // Makes the stage. The tally must outlive the stage.
  FinalStage(const measure::ShootOutOptions& options, Tally& tally) : options_(options), tally_(tally) {}

  // Calls the next contestants. Returns false if contestants are already named, or if no final is needed. After
  // cancelling there is no final. `turn_overhead` is the time of a turn beyond its runs.
  bool call(const IntervalOf& interval, Nanoseconds turn_overhead, bool cancelled);
  // Returns the contestants as the search measured them: the finalists, then the default configuration if it is not a
  // finalist. Returns nothing if no contestants are named.
  const std::vector<Trial>& contestants() const { return contestants_; }
  // Decides the final and sets the place of each contestant that ran.
  void judge(Final& final);
  // Ends without a final's winner, so that the best of the search is the result.
  void give_up();

 private:
  bool begin(bool cancelled);
  std::size_t most_finalists() const;
  Nanoseconds block_of(const Trial& trial) const;
  std::vector<Trial> with_default(const std::vector<Contenders::Contender>& finalists) const;
  bool default_takes_part(const Trial& best) const;

  const measure::ShootOutOptions options_;
  Tally& tally_;
  Nanoseconds turn_overhead_;
  std::size_t most_ = 0;  // number of finalists; set once the final has begun
  std::vector<Trial> contestants_;
  std::size_t finalists_ = 0;  // number of contestants that are finalists; they come first
  bool over_ = false;
};

}  // namespace wattune::tune
