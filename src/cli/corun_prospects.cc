#include "cli/corun_prospects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/text.h"
#include "wattune/schedule/counted_use.h"

namespace wattune::cli {

namespace {

Prospect prospect_of(const schedule::KernelTraits& first, const schedule::KernelTraits& second) {
  const auto bound = schedule::packing_bound(first, second);
  return {.names = {first.name, second.name},
          .packing_bound = bound,
          .is_complementary = schedule::is_complementary(bound)};
}

// Time of the best baseline over that of the best shares; none where one of them could not be run.
std::optional<double> speed_over_baselines(const SweptPair& pair) {
  const schedule::SweepRow* const share = pair.sweep.best(schedule::is_share);
  const schedule::SweepRow* const baseline = pair.sweep.best(schedule::is_baseline);
  if (share == nullptr || baseline == nullptr) return std::nullopt;
  return baseline->makespan / share->makespan;
}

bool is_known(const Prospect& prospect) { return prospect.packing_bound.has_value(); }

}  // namespace

Result<std::vector<Prospect>> prospects_of(CorunStage& stage) {
  WATTUNE_ASSIGN(const auto machine, stage.machine());
  std::vector<Prospect> prospects;
  for (schedule::KernelId i = 0; i < stage.size(); ++i)
    for (schedule::KernelId j = i + 1; j < stage.size(); ++j)
      prospects.push_back(prospect_of(*machine->kernel(i), *machine->kernel(j)));
  return prospects;
}

std::string prospects_text(const std::vector<Prospect>& prospects) {
  if (prospects.size() < 2 || std::ranges::none_of(prospects, is_known)) return "";
  using Align = report::TextTable::Align;
  report::TextTable table({{"pair", Align::left}, {"at most"}, {"", Align::left}});
  for (const Prospect& prospect : prospects)
    table.add_row({fmt::format("{} with {}", prospect.names[0], prospect.names[1]),
                   is_known(prospect) ? fmt::format("{:.2f}", *prospect.packing_bound) : "-",
                   prospect.is_complementary ? "complementary" : ""});
  return "How much faster than one after the other each pair can be, by what its kernels use alone:\n\n" +
         table.to_string() + "\n";
}

Json prospects_json(const std::vector<Prospect>& prospects) {
  Json json = Json::array();
  for (const Prospect& prospect : prospects)
    json.push_back({{"kernels", prospect.names},
                    {"packing_bound", is_known(prospect) ? Json(*prospect.packing_bound) : Json(nullptr)},
                    {"complementary", prospect.is_complementary}});
  return json;
}

ComplementaryGain complementary_gain(const std::vector<Prospect>& prospects, const std::vector<SweptPair>& pairs) {
  ComplementaryGain gain;
  double logarithms = 0.0;
  std::size_t measured = 0;
  gain.pairs = static_cast<std::size_t>(std::ranges::count(prospects, true, &Prospect::is_complementary));
  for (const SweptPair& pair : pairs) {
    const auto speed = speed_over_baselines(pair);
    if (!schedule::is_complementary(pair.packing_bound) || !speed) continue;
    logarithms += std::log(*speed);
    ++measured;
  }
  if (measured > 0) gain.over_baselines = std::exp(logarithms / static_cast<double>(measured)) - 1.0;
  return gain;
}

std::string complementary_text(const std::vector<Prospect>& prospects, const ComplementaryGain& gain) {
  if (prospects.size() < 2 || !gain.over_baselines) return "";
  return fmt::format("\nOf {} pairs {} complementary: the best shares over the best baseline, geometric mean, {}.\n",
                     prospects.size(), gain.pairs == 1 ? "one is" : fmt::format("{} are", gain.pairs),
                     gain_text(*gain.over_baselines));
}

Json complementary_json(const ComplementaryGain& gain) {
  return {{"pairs", gain.pairs},
          {"gain_over_best_baseline", gain.over_baselines ? Json(*gain.over_baselines) : Json(nullptr)}};
}

}  // namespace wattune::cli
