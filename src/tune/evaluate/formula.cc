#include "tune/evaluate/formula.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/interface/suggest.h"

namespace wattune::inline v0_1::tune {

namespace {

Result<Value> evaluate_as(const space::Expression& expression, const space::Expression::Lookup& lookup, Value*) {
  return expression.evaluate(lookup);
}

Result<bool> evaluate_as(const space::Expression& expression, const space::Expression::Lookup& lookup, bool*) {
  return expression.evaluate_bool(lookup);
}

Result<std::size_t> evaluate_as(const space::Expression& expression, const space::Expression::Lookup& lookup,
                                std::size_t*) {
  return expression.evaluate_size(lookup);
}

}  // namespace

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

Names::Names(const std::vector<NamedSize>& problem_size, const std::vector<Parameter>& parameters) {
  constexpr std::array kAxes{"problem_size_x", "problem_size_y", "problem_size_z"};
  for (const Parameter& parameter : parameters) parameters_.push_back(parameter.name);
  for (std::size_t i = 0; i < problem_size.size(); ++i) {
    const Value value(problem_size[i].value);
    if (!problem_size[i].name.empty()) constants_.emplace(problem_size[i].name, value);
    if (i < kAxes.size()) constants_.emplace(kAxes[i], value);
    constants_.emplace(fmt::format("ProblemSize[{}]", i), value);
  }
}

Names Names::with_index(const std::string& name) const {
  Names names = *this;
  names.parameters_.push_back(name);
  return names;
}

Names Names::with_suggested(std::vector<std::string> others) const {
  Names names = *this;
  names.suggested_ = std::move(others);
  return names;
}

bool Names::is_parameter(std::string_view name) const {
  return std::find(parameters_.begin(), parameters_.end(), name) != parameters_.end();
}

const Value* Names::constant(std::string_view name) const {
  const auto found = constants_.find(name);
  if (found != constants_.end()) return &found->second;
  static const std::map<std::string, Value, std::less<>> numbers{{"inf", std::numeric_limits<double>::infinity()},
                                                                 {"nan", std::numeric_limits<double>::quiet_NaN()}};
  const auto number = numbers.find(name);
  return number == numbers.end() ? nullptr : &number->second;
}

Result<void> Names::check(const space::Expression& expression, std::string_view extra) const {
  for (const std::string& name : expression.names()) {
    if (name == extra || is_parameter(name) || constant(name) != nullptr) continue;
    std::vector<std::string> known = parameters_;
    for (const auto& [constant_name, value] : constants_) known.push_back(constant_name);
    known.insert(known.end(), suggested_.begin(), suggested_.end());
    std::string advice = suggest(name, known);
    if (advice.empty() && !suggested_.empty()) advice = fmt::format("such as {}", fmt::join(suggested_, ", "));
    return Error(ErrorCode::not_found, fmt::format("unknown name `{}`", name))
        .at(expression.position())
        .about(expression.text() == name ? std::string() : expression.text())
        .hint(std::move(advice));
  }
  return {};
}

template <typename T>
Result<Formula<T>> Formula<T>::compile(const ExpressionText& text, std::shared_ptr<const Names> names) {
  WATTUNE_ASSIGN(space::Expression expression, space::Expression::parse(text.text, text.position));
  WATTUNE_TRY(names->check(expression));
  Formula formula(std::move(expression), std::move(names));
  const auto& read = formula.expression_.names();
  if (std::none_of(read.begin(), read.end(), [&](const auto& name) { return formula.names_->is_parameter(name); })) {
    WATTUNE_ASSIGN(formula.fixed_, formula.evaluate(Configuration()));
  }
  return formula;
}

template <typename T>
bool Formula<T>::has_all_values(const Configuration& configuration) const {
  return std::ranges::all_of(expression_.names(), [&](const std::string& name) {
    return configuration.find(name) != nullptr || names_->constant(name) != nullptr;
  });
}

template <typename T>
Result<T> Formula<T>::evaluate(const Configuration& configuration) const {
  if (fixed_) return *fixed_;
  const space::Expression::Lookup lookup = [this, &configuration](std::string_view name) {
    const Value* value = configuration.find(name);
    return value != nullptr ? value : names_->constant(name);
  };
  return evaluate_as(expression_, lookup, static_cast<T*>(nullptr));
}

template class Formula<bool>;
template class Formula<std::size_t>;
template class Formula<Value>;

}  // namespace wattune::tune
