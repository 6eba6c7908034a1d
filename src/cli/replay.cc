#include "cli/replay.h"

#include <fstream>
#include <iterator>

#include "wattune/core/hash.h"
#include "wattune/store/formats.h"
#include "wattune/tune/replay.h"

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

namespace {

Result<tune::Recording> load_recording(const std::string& file, const KernelSpec& spec,
                                       const space::SearchSpace& space) {
  WATTUNE_ASSIGN(ResultSet results, store::load_results(file));
  WATTUNE_ASSIGN(const tune::Recording recording, tune::Recording::match(space, std::move(results)));
  if (tune::custom_objective(spec)) return recording.with_objectives(spec);
  // The time needs no metric; those of the spec may read what the file lacks.
  return recording.with_objectives({.parameters = spec.parameters});
}

}  // namespace

Result<std::vector<std::vector<search::PriorObjective>>> load_priors(const std::vector<std::string>& files,
                                                                     const KernelSpec& spec,
                                                                     const space::SearchSpace& space) {
  std::vector<std::vector<search::PriorObjective>> priors;
  for (const std::string& file : files) {
    const Result<tune::Recording> recording = load_recording(file, spec, space);
    if (!recording) return Error(recording.error()).with_context(file);
    priors.push_back(tune::prior_of(*recording));
    if (priors.back().empty())
      return Error(ErrorCode::invalid_argument, "nothing to start from: no recorded configuration is correct")
          .with_context(file);
  }
  return priors;
}

}  // namespace wattune::cli
