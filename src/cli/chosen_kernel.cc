#include "cli/chosen_kernel.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "cli/space_report.h"
#include "wattune/spec/spec.h"
#include "wattune/store/formats.h"
#include "wattune/tune/session.h"

namespace wattune::cli {

namespace {

// SPEC and what stands behind the last @, unless a file has the whole name.
std::pair<std::string, std::string> split_choice(const std::string& text) {
  const std::size_t at = text.rfind('@');
  std::error_code ignored;
  if (at == std::string::npos || std::filesystem::exists(text, ignored)) return {text, ""};
  return {text.substr(0, at), text.substr(at + 1)};
}

// The best that was recorded, of the parameters that the spec has here.
Result<Configuration> best_of_results(const space::SearchSpace& space, const std::string& file) {
  WATTUNE_ASSIGN(const ResultSet results, store::load_results(file));
  const Trial* best = results.best();
  if (best == nullptr) return Error(ErrorCode::not_found, "no configuration of these results is correct").about(file);
  std::vector<std::pair<std::string, Value>> values;
  for (std::size_t i = 0; i < best->configuration.names().size(); ++i)
    if (std::ranges::count(space.parameters(), best->configuration.names()[i], &Parameter::name) > 0)
      values.emplace_back(best->configuration.names()[i], best->configuration.values()[i]);
  auto id = space.find(values);
  if (!id) return std::move(id).error().with_context(file);
  return space.configuration(*id);
}

Result<Configuration> chosen_configuration(const space::SearchSpace& space, const std::string& spec,
                                           const std::string& choice) {
  if (choice.empty()) return space.configuration(space.default_configuration());
  return choice.find('=') != std::string::npos ? named_configuration(space, choice, spec + "@")
                                               : best_of_results(space, choice);
}

}  // namespace

Result<ChosenKernel> choose_kernel(const std::string& text) {
  const auto [file, choice] = split_choice(text);
  WATTUNE_ASSIGN(KernelSpec spec, spec::load(file, spec::SourcePolicy::required));
  WATTUNE_ASSIGN(spec, tune::without_clocks(std::move(spec)));
  WATTUNE_ASSIGN(const space::SearchSpace space, space::SearchSpace::build(spec.parameters, spec.constraints));
  WATTUNE_ASSIGN(Configuration configuration, chosen_configuration(space, file, choice));
  return ChosenKernel{std::move(spec), std::move(configuration)};
}

}  // namespace wattune::cli
