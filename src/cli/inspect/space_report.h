// Reports on a search space for `wattune space`, as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/program/app.h"
#include "cli/program/json.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/space/search_space.h"

namespace wattune::cli {

// The share of all value combinations that one constraint alone leaves; nullopt if counting them is costly.
struct ConstraintEffect {
  const Constraint& constraint;
  std::optional<double> share_left;
};

// The reasons why a configuration is valid or not.
struct Explanation {
  struct Broken {
    space::Violation violation;
    std::vector<std::pair<std::string, Value>> values;  // values of the parameters that the constraint reads
  };
  std::vector<std::pair<std::string, Value>> values;  // values of all parameters
  std::optional<ConfigurationId> id;                  // id of the configuration, if it is valid
  std::vector<Broken> broken;
};

struct SpaceReport {
  const KernelSpec& spec;
  const space::SearchSpace& space;
  std::vector<ConstraintEffect> effects;
  std::vector<ConfigurationId> sample;
  std::optional<Explanation> explanation;
};

// Formats the number of valid configurations: "3", "at most 4,179".
std::string size_text(const space::SearchSpace& space);

std::vector<ConstraintEffect> constraint_effects(const KernelSpec& spec);

// Says that the spec's default is invalid, and which configuration replaces it. Returns an empty text if the default is
// valid, or if the spec has none.
std::string default_note(const space::SearchSpace& space);

// Adds an option for a configuration as a user names it. Texts of repeated options form one list.
void add_configuration(CLI::App& app, const std::string& name, std::string& text, const std::string& description);

// Parses a configuration as a user names it: "name=value, name=value". Parameters that it leaves out take their
// default. The result may break constraints. `option` is the option's name for messages. Fails with not_found and the
// nearest name.
Result<space::ValueIndices> parse_configuration(const space::SearchSpace& space, const std::string& text,
                                                const std::string& option);
// Parses a configuration of the space. Fails as parse_configuration() does, or with invalid_argument, naming the
// constraint, if the configuration breaks one.
Result<Configuration> named_configuration(const space::SearchSpace& space, const std::string& text,
                                          const std::string& option = "--configuration");
Result<Explanation> explain(const space::SearchSpace& space, const std::string& text);

std::string space_text(const SpaceReport& report, std::size_t width);
std::string space_json(const SpaceReport& report);

}  // namespace wattune::cli
