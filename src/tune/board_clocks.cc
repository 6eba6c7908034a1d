#include "tune/board_clocks.h"

#include <fmt/format.h>

#include <cmath>

namespace wattune::tune {

namespace {

// Boards count their clocks in steps of up to 15 MHz, and may read one beside the one that was asked for.
constexpr Megahertz kStep{15.0};
constexpr Watts kLeastWatts{1.0};

template <typename T>
Result<void> compare(std::optional<T> wanted, std::optional<T> found, T slack, std::string_view what) {
  if (!wanted || !found || std::abs((*found - *wanted).value()) <= slack.value()) return {};
  return Error(ErrorCode::invalid_argument,
               fmt::format("the board was set to {} of {:g}, but says {:g}", what, wanted->value(), found->value()));
}

}  // namespace

Result<BoardClocks> BoardClocks::open(const std::vector<Parameter>& parameters, backend::Device& device) {
  BoardClocks clocks;
  for (const Parameter& parameter : parameters)
    if (is_set_on_board(parameter.role)) clocks.parameters_.push_back(parameter);
  if (clocks.parameters_.empty()) return clocks;
  Result<backend::ClockControl*> control = device.clock_control();
  const Parameter& first = clocks.parameters_.front();
  if (!control) return std::move(control).error().at(first.position).about(first.name);
  clocks.control_.reset(*control);
  return clocks;
}

Result<void> BoardClocks::apply(const Configuration& configuration) {
  if (!control_) return {};
  WATTUNE_ASSIGN(const backend::BoardSetting wanted, setting_of(configuration));
  if (applied_ == wanted) return {};
  applied_.reset();
  WATTUNE_TRY(control_->set(wanted));
  WATTUNE_TRY(verify(wanted));
  applied_ = wanted;
  return {};
}

Result<backend::BoardSetting> BoardClocks::setting_of(const Configuration& configuration) const {
  backend::BoardSetting setting;
  for (const Parameter& parameter : parameters_) {
    const Value* const value = configuration.find(parameter.name);
    if (value == nullptr || !value->is_number())
      return Error(ErrorCode::invalid_argument, "what is set on the board must be a number").about(parameter.name);
    const double number = value->as_real();
    if (parameter.role == ParameterRole::graphics_clock) setting.graphics = Megahertz(number);
    if (parameter.role == ParameterRole::memory_clock) setting.memory = Megahertz(number);
    if (parameter.role == ParameterRole::power_limit) setting.power_limit = Watts(number);
  }
  return setting;
}

Result<void> BoardClocks::verify(const backend::BoardSetting& wanted) const {
  WATTUNE_ASSIGN(const backend::BoardSetting found, control_->current());
  WATTUNE_TRY(compare(wanted.graphics, found.graphics, kStep, "a graphics clock (MHz)"));
  WATTUNE_TRY(compare(wanted.memory, found.memory, kStep, "a memory clock (MHz)"));
  return compare(wanted.power_limit, found.power_limit, kLeastWatts, "a power limit (W)");
}

}  // namespace wattune::tune
