#include "cli/corun/chosen_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "cli/inspect/space_report.h"
#include "cli/program/spec_options.h"
#include "schedule/interface/kernel_names.h"
#include "wattune/store/formats.h"
#include "wattune/tune/session.h"

namespace wattune::cli {

namespace {

// Splits a text at its last @ into SPEC and the choice that follows. Does not split it if a file has the whole text as
// its name.
std::pair<std::string, std::string> split_choice(const std::string& text) {
  const std::size_t at = text.rfind('@');
  std::error_code ignored;
  if (at == std::string::npos || std::filesystem::exists(text, ignored)) return {text, ""};
  return {text.substr(0, at), text.substr(at + 1)};
}

// Returns the best recorded configuration, as a configuration of the space. Recorded parameters that the spec lacks are
// ignored.
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

Result<ChosenKernel> choose_configuration(std::string name, KernelSpec loaded, const std::string& file,
                                          const std::string& choice) {
  WATTUNE_ASSIGN(KernelSpec spec, tune::without_clocks(std::move(loaded)));
  WATTUNE_ASSIGN(const space::SearchSpace space, space::SearchSpace::build(spec.parameters, spec.constraints));
  WATTUNE_ASSIGN(Configuration configuration, chosen_configuration(space, file, choice));
  return ChosenKernel{std::move(name), std::move(spec), std::move(configuration)};
}

}  // namespace

Result<ChosenKernel> choose_kernel(const std::string& text) {
  WATTUNE_ASSIGN(std::vector<ChosenKernel> chosen, choose_kernels({text}, {}));
  return std::move(chosen.front());
}

Result<std::vector<ChosenKernel>> choose_kernels(const std::vector<std::string>& texts,
                                                 const std::vector<std::string>& sizes) {
  std::vector<std::string> names;  // names of the specs
  std::vector<ChosenKernel> chosen;
  for (const std::string& text : texts) {
    const auto [file, choice] = split_choice(text);
    WATTUNE_ASSIGN(KernelSpec spec, load_spec({.file = file, .problem_size = {}}));
    names.push_back(spec.name);
    std::string name = schedule::name_of_place(names, chosen.size());
    if (const auto own = sizes_of_kernel(sizes, name); !own.empty()) {
      WATTUNE_ASSIGN(spec, load_spec({.file = file, .problem_size = own}));
    }
    WATTUNE_ASSIGN(chosen.emplace_back(), choose_configuration(std::move(name), std::move(spec), file, choice));
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) names[i] = chosen[i].name;
  WATTUNE_TRY(check_sizes_of_kernels(sizes, names));
  return chosen;
}

}  // namespace wattune::cli
