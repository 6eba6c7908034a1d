#include "schedule/queue/known_pairs.h"

#include <algorithm>
#include <utility>

#include "schedule/forecast/pair_memory.h"
#include "wattune/schedule/forecast.h"

namespace wattune::inline v0_1::schedule {

Result<PairTable> known_pairs(const Stage& stage, const std::vector<KernelTraits>& kernels,
                              const MachineLimits& limits) {
  PairTable known(limits.sms);
  const Forecaster of_whole = whole_forecaster(limits, stage.sm());
  for (KernelId i = 0; i < kernels.size(); ++i)
    for (KernelId j = i + 1; j < kernels.size(); ++j) {
      const auto pair = stage.remembered(i, j, limits.sms);
      if (!pair) continue;
      const bool needs_twins = !splits_of(limits).empty() && kernels[i].persistent && kernels[j].persistent;
      const auto are_twins = [](const PairForecast& way) { return way.sms_of_first && !way.whole; };
      const bool is_proven = pair->proven && kernels.size() == 2;
      if (needs_twins && !is_proven && !are_twins(*pair) && std::ranges::none_of(pair->others, are_twins)) continue;
      WATTUNE_ASSIGN(PairForecast whole, of_whole(kernels[i], kernels[j]));
      known.learn(i, j, completed(*pair, std::move(whole)));
    }
  return known;
}

}  // namespace wattune::schedule
