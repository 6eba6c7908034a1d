#include "cli/tune/replay.h"

#include <fstream>
#include <iterator>

#include "wattune/core/identity.h"
#include "wattune/store/formats.h"
#include "wattune/tune/session.h"

namespace wattune::cli {

std::optional<std::string> replayed_file(const std::string& device) {
  constexpr std::string_view kPrefix = "replay:";
  if (!device.starts_with(kPrefix)) return std::nullopt;
  return device.substr(kPrefix.size());
}

Identity recording_identity(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {{"recording", content_hash(std::string(std::istreambuf_iterator<char>(stream), {}))}};
}

KernelSpec recorded_spec(const RunInfo& info) {
  KernelSpec spec;
  spec.name = info.kernel_name.empty() ? "recorded" : info.kernel_name;
  spec.parameters = info.parameters;
  spec.objectives = info.objectives;
  return spec;
}

Result<std::vector<std::vector<search::PriorObjective>>> load_priors(const std::vector<std::string>& files,
                                                                     const KernelSpec& spec,
                                                                     const space::SearchSpace& space) {
  std::vector<std::vector<search::PriorObjective>> priors;
  for (const std::string& file : files) {
    Result<ResultSet> results = store::load_results(file);
    if (!results) return std::move(results).error();
    auto prior = tune::prior_from(*std::move(results), spec, space);
    if (!prior) return std::move(prior).error().with_context(file);
    priors.push_back(*std::move(prior));
  }
  return priors;
}

}  // namespace wattune::cli
