#include "dynamic/calls/problem.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/interface/suggest.h"

namespace wattune::inline v0_1::dynamic {

namespace {

Error no_such_size(const KernelSpec& spec, const std::string& name) {
  std::vector<std::string> names;
  for (const NamedSize& size : spec.problem_size) names.push_back(size.name);
  for (const Parameter& parameter : spec.parameters) names.push_back(parameter.name);
  return Error(ErrorCode::invalid_argument,
               fmt::format("`{}` is neither a size nor a parameter of kernel `{}`", name, spec.name))
      .hint(suggest(name, names));
}

Result<void> set_size(KernelSpec& spec, const NamedSize& size) {
  const auto known = std::ranges::find(spec.problem_size, size.name, &NamedSize::name);
  if (known != spec.problem_size.end()) {
    known->value = size.value;
    return {};
  }
  const auto parameter = std::ranges::find(spec.parameters, size.name, &Parameter::name);
  if (parameter == spec.parameters.end()) return no_such_size(spec, size.name);
  parameter->values = {Value(size.value)};
  parameter->default_value.reset();
  return {};
}

Result<std::shared_ptr<const space::SearchSpace>> space_of(const KernelSpec& spec, const Problem* other) {
  if (other != nullptr && other->spec.parameters == spec.parameters) return other->whole_space;
  WATTUNE_ASSIGN(space::SearchSpace space, space::SearchSpace::build(spec.parameters, spec.constraints));
  return std::shared_ptr<const space::SearchSpace>(std::make_shared<space::SearchSpace>(std::move(space)));
}

}  // namespace

Result<std::shared_ptr<const Problem>> Problem::make(const KernelSpec& spec, const std::vector<NamedSize>& sizes,
                                                     Key key, const Problem* other, bool has_other_sizes) {
  KernelSpec own = spec;
  for (const NamedSize& size : sizes) WATTUNE_TRY(set_size(own, size));
  WATTUNE_ASSIGN(std::shared_ptr<const space::SearchSpace> space, space_of(own, other));
  const auto names = std::make_shared<const tune::Names>(own.problem_size, own.parameters);
  WATTUNE_ASSIGN(tune::LaunchPlan plan, tune::LaunchPlan::compile(own, launches_of(own), names));
  const space::SearchSpace& shared = *space;
  return std::shared_ptr<const Problem>(
      new Problem{std::move(key), std::move(own), std::move(space), shared, std::move(plan), has_other_sizes});
}

Result<Configuration> Problem::generic(const std::vector<Value>& options) const {
  std::vector<std::pair<std::string, Value>> values;
  for (const Parameter& parameter : spec.parameters)
    values.emplace_back(parameter.name,
                        parameter.values.size() == 1 ? parameter.values.front() : options[values.size()]);
  WATTUNE_ASSIGN(const ConfigurationId id, space.find(values));
  return space.configuration(id);
}

}  // namespace wattune::dynamic
