// Reports scores for `wattune score`, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "score/interface/reach.h"
#include "score/interface/score.h"

namespace wattune::cli {

struct ScoreReport {
  const std::vector<score::ScoredSpace>& spaces;
  const std::vector<score::StrategyScore>& scores;
  const score::ScoreOptions& options;
  std::string clock;
  double within = 0.0;                               // share of the optimum that counts as near, for `reaches`
  const std::vector<score::StrategyReach>& reaches;  // for each of the scores; empty if the user did not ask for it
};

std::string score_text(const ScoreReport& report);
// Writes the document that docs/formats/json.md describes.
std::string score_json(const ScoreReport& report);
std::string score_svg(const ScoreReport& report);

}  // namespace wattune::cli
