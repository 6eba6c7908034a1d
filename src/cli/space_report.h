// What `wattune space` finds out about a search space, for people and for machines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/app.h"
#include "cli/json.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/space/search_space.h"

namespace wattune::cli {

// Configurations that one constraint alone leaves, out of all value combinations; nullopt where counting them is
// costly.
struct ConstraintEffect {
  const Constraint& constraint;
  std::optional<double> share_left;
};

// Why a configuration is valid or not.
struct Explanation {
  struct Broken {
    space::Violation violation;
    std::vector<std::pair<std::string, Value>> values;  // of the parameters that the constraint reads
  };
  std::vector<std::pair<std::string, Value>> values;  // of every parameter
  std::optional<ConfigurationId> id;                  // when valid
  std::vector<Broken> broken;
};

struct SpaceReport {
  const KernelSpec& spec;
  const space::SearchSpace& space;
  std::vector<ConstraintEffect> effects;
  std::vector<ConfigurationId> sample;
  std::optional<Explanation> explanation;
};

// "3", "at most 4,179": how many configurations are valid.
std::string size_text(const space::SearchSpace& space);

std::vector<ConstraintEffect> constraint_effects(const KernelSpec& spec);

// Says that the spec's default is invalid, and what stands for it; empty when it is valid or the spec has none.
std::string default_note(const space::SearchSpace& space);

// An option for a configuration as a user names it; given several times, the texts are one list.
void add_configuration(CLI::App& app, const std::string& name, std::string& text, const std::string& description);

// A configuration as a user names it: "name=value, name=value"; parameters that it leaves out take their default. It
// may be invalid. `option` is for messages. not_found, with the nearest name.
Result<space::ValueIndices> parse_configuration(const space::SearchSpace& space, const std::string& text,
                                                const std::string& option);
// The same as a configuration of the space; invalid_argument also when it breaks a constraint, which is named.
Result<Configuration> named_configuration(const space::SearchSpace& space, const std::string& text,
                                          const std::string& option = "--configuration");
Result<Explanation> explain(const space::SearchSpace& space, const std::string& text);

std::string space_text(const SpaceReport& report, std::size_t width);
std::string space_json(const SpaceReport& report);

}  // namespace wattune::cli
