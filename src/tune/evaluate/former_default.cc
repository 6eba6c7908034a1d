#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "tune/interface/describe_run.h"
#include "wattune/tune/session.h"

namespace wattune::inline v0_1::tune {

namespace {

constexpr const char* kReference = "reference";

std::string reference_in(const RunInfo& info) {
  const auto part = info.identity.find(kReference);
  return part == info.identity.end() ? std::string() : part->second;
}

// True if the part `reference` of the identity names the default configuration. Older runs without a reference compared
// nothing.
bool is_by_default(const std::string& reference) {
  return reference.starts_with(kDefaultIsReference) || reference == reference_of_none();
}

Configuration default_of(const RunInfo& info) {
  const auto names = std::make_shared<std::vector<std::string>>();
  for (const Parameter& parameter : info.parameters) names->push_back(parameter.name);
  return {0, names, info.default_values};
}

Error cannot_go_on(const Configuration& former, std::string why) {
  return Error(ErrorCode::mismatch,
               "earlier results were compared with the outputs of another default configuration, " + std::move(why))
      .about(former.to_string())
      .hint("keep that default, or write to another file");
}

}  // namespace

Result<void> adopt_former_reference(const space::SearchSpace& space, Evaluator& evaluator, const RunInfo& recorded,
                                    RunInfo& info) {
  const std::string before = reference_in(recorded);
  const std::string now = reference_in(info);
  if (before == now || !is_by_default(before) || !now.starts_with(kDefaultIsReference)) return {};
  if (recorded.default_values.size() != recorded.parameters.size()) return {};
  const Configuration former = default_of(recorded);
  const std::optional<Configuration> placed = place(space, former);
  if (!placed) return cannot_go_on(former, "which is not in the search space any more");
  if (placed->id() != space.default_configuration()) {
    WATTUNE_ASSIGN(const Observation observation, evaluator.evaluate(*placed));
    if (!observation.ok())
      return cannot_go_on(former,
                          fmt::format("which now fails ({}): {}", to_string(observation.status), observation.message));
  }
  info.identity[kReference] = before;
  return {};
}

}  // namespace wattune::tune
