#include "cli/corun/corun_prospects.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/corun/corun_rerun.h"
#include "report/interface/text.h"
#include "schedule/interface/counted_use.h"
#include "schedule/interface/timing_class.h"

namespace wattune::cli {

namespace {

// Returns the rounds of the best baseline and of the best way with shared SMs; nullopt if one of them could not be run.
std::optional<schedule::RoundTimes> shares_over_baseline(const schedule::SweptPair& pair) {
  const schedule::SweepRow* const share = pair.sweep.best(schedule::is_share);
  const schedule::SweepRow* const baseline = pair.sweep.best(schedule::is_baseline);
  if (share == nullptr || baseline == nullptr) return std::nullopt;
  return rounds_over(pair, *share, *baseline);
}

bool is_known(const Prospect& prospect) { return prospect.packing_bound || prospect.complementary; }

std::string kind_text(const Prospect& prospect) {
  if (!prospect.complementary) return "unknown";
  return *prospect.complementary ? "complementary" : "";
}

}  // namespace

std::vector<Prospect> prospects_of(const schedule::CorunSession& session) {
  std::vector<Prospect> prospects;
  const std::vector<schedule::StageKernel>& kernels = session.kernels();
  for (std::size_t i = 0; i < kernels.size(); ++i)
    for (std::size_t j = i + 1; j < kernels.size(); ++j)
      prospects.push_back({{kernels[i].traits.name, kernels[j].traits.name},
                           schedule::packing_bound(kernels[i].traits, kernels[j].traits),
                           schedule::are_complementary(kernels[i].traits, kernels[j].traits)});
  return prospects;
}

std::string prospects_text(const std::vector<Prospect>& prospects) {
  if (prospects.size() < 2 || std::ranges::none_of(prospects, is_known)) return "";
  using Align = report::TextTable::Align;
  report::TextTable table({{"pair", Align::left}, {"at most"}, {"", Align::left}});
  for (const Prospect& prospect : prospects)
    table.add_row({fmt::format("{} with {}", prospect.names[0], prospect.names[1]),
                   prospect.packing_bound ? fmt::format("{:.2f}", *prospect.packing_bound) : "-", kind_text(prospect)});
  return "How much faster than one after the other each pair can be, by what its kernels use alone, and whether they "
         "are complementary by their times and uses:\n\n" +
         table.to_string() + "\n";
}

Json prospects_json(const std::vector<Prospect>& prospects) {
  Json json = Json::array();
  for (const Prospect& prospect : prospects)
    json.push_back({{"kernels", prospect.names},
                    {"packing_bound", json_or_null(prospect.packing_bound)},
                    {"complementary", json_or_null(prospect.complementary)}});
  return json;
}

ComplementaryGain complementary_gain(const std::vector<Prospect>& prospects,
                                     const std::vector<schedule::SweptPair>& pairs) {
  ComplementaryGain gain{
      .pairs = static_cast<std::size_t>(std::ranges::count_if(prospects, &Prospect::is_complementary)),
      .over_baselines = {}};
  std::vector<const schedule::SweptPair*> swept;
  std::vector<schedule::RoundTimes> tables;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!prospects[i].is_complementary()) continue;
    swept.push_back(&pairs[i]);
    if (auto rounds = shares_over_baseline(pairs[i])) tables.push_back(*std::move(rounds));
  }
  gain.over_baselines = schedule::mean_gain(tables);
  for (const schedule::SweptPair* pair : swept)
    if (std::string why = why_withheld_of(*pair, gain.over_baselines); !why.empty())
      return {.pairs = gain.pairs, .over_baselines = {}, .withheld = std::move(why)};
  return gain;
}

std::string complementary_text(const std::vector<Prospect>& prospects, const ComplementaryGain& gain) {
  if (prospects.size() < 2) return "";
  if (!gain.withheld.empty()) return fmt::format("\nNo verdict on complementary pairs: {}.\n", gain.withheld);
  if (!gain.over_baselines) return "";
  return fmt::format("\nOf {} pairs {} complementary: the best shares over the best baseline, geometric mean, {}{}.\n",
                     prospects.size(), gain.pairs == 1 ? "one is" : fmt::format("{} are", gain.pairs),
                     gain_text(*gain.over_baselines), noise_text(*gain.over_baselines));
}

Json complementary_json(const ComplementaryGain& gain) {
  return {{"pairs", gain.pairs},
          {"gain_over_best_baseline", gain_json(gain.over_baselines)},
          {"interval", interval_json(gain.over_baselines)},
          {"withheld", gain.withheld.empty() ? Json(nullptr) : Json(gain.withheld)}};
}

}  // namespace wattune::cli
