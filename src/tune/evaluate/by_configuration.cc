#include "tune/evaluate/by_configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace wattune::inline v0_1::tune {

Result<std::shared_ptr<const Names>> ByConfiguration::readable(Names names) const {
  for (const ComputedValue& each : options_.computed) {
    if (each.name.empty()) return Error(ErrorCode::invalid_argument, "a computed value has no name");
    if (!each.function) return Error(ErrorCode::invalid_argument, "a computed value has no function").about(each.name);
    if (names.is_parameter(each.name) || names.constant(each.name) != nullptr)
      return Error(ErrorCode::invalid_argument, "the name of a computed value is taken").about(each.name);
    names = names.with_index(each.name);
  }
  return std::make_shared<const Names>(std::move(names));
}

Result<Configuration> ByConfiguration::complete(const Configuration& configuration) {
  if (options_.computed.empty()) return configuration;
  std::optional<Result<Configuration>>& known = kept(configuration).complete;
  if (!known) known = compute(configuration);
  return *known;
}

Result<std::vector<backend::Macro>> ByConfiguration::macros(const Configuration& configuration) {
  std::vector<backend::Macro> macros = macros_of(parameters_, configuration);
  if (std::ranges::none_of(options_.computed, &ComputedValue::is_macro)) return macros;
  WATTUNE_ASSIGN(const Configuration values, complete(configuration));
  for (const ComputedValue& each : options_.computed)
    if (each.is_macro) macros.push_back({each.name, values.find(each.name)->to_macro()});
  return macros;
}

Result<backend::ImageRequest> ByConfiguration::code(const Configuration& configuration) {
  WATTUNE_ASSIGN(std::vector<backend::Macro> macros, this->macros(configuration));
  if (!options_.writer.function) return backend::ImageRequest(std::move(macros));
  std::optional<Result<std::string>>& known = kept(configuration).text;
  if (!known) known = write(configuration);
  WATTUNE_ASSIGN(std::string text, *known);
  return backend::ImageRequest(std::move(macros), std::move(text));
}

ByConfiguration::Kept& ByConfiguration::kept(const Configuration& configuration) {
  const auto found = std::ranges::find_if(kept_, [&](const Kept& each) { return each.configuration == configuration; });
  if (found != kept_.end()) return *found;
  if (kept_.size() == kMostKept) kept_.pop_front();
  return kept_.emplace_back(Kept{configuration});
}

Result<Configuration> ByConfiguration::compute(const Configuration& configuration) const {
  auto names = std::make_shared<std::vector<std::string>>(configuration.names());
  std::vector<Value> values = configuration.values();
  for (const ComputedValue& each : options_.computed) {
    Result<Value> value = each.function(configuration);
    if (!value) return std::move(value).error().with_context(fmt::format("computed value `{}`", each.name));
    names->push_back(each.name);
    values.push_back(*std::move(value));
  }
  return Configuration(configuration.id(), std::move(names), std::move(values));
}

Result<std::string> ByConfiguration::write(const Configuration& configuration) const {
  Result<std::string> text = options_.writer.function(configuration);
  if (!text) return std::move(text).error().with_context("the text of the source");
  if (text->empty()) return Error(ErrorCode::invalid_argument, "the text of the source is empty");
  return text;
}

}  // namespace wattune::tune
