#include "tune/interface/board_clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/stopwatch.h"
#include "power/interface/controls.h"

namespace wattune::inline v0_1::tune {

namespace {

// Largest difference between a clock that was set and the clock that is read. Boards have clocks in steps of up to 15
// MHz, and may report one step more or less.
constexpr Megahertz kStep{15.0};
constexpr Watts kLeastWatts{1.0};

template <typename T>
Result<void> compare(std::optional<T> wanted, std::optional<T> found, T slack, std::string_view what) {
  if (!wanted || !found || std::abs((*found - *wanted).value()) <= slack.value()) return {};
  return Error(ErrorCode::invalid_argument,
               fmt::format("the board was set to {} of {:g}, but says {:g}", what, wanted->value(), found->value()));
}

Result<void> compare_limit(const backend::BoardSetting& wanted, const backend::BoardSetting& found) {
  return compare(wanted.power_limit, found.power_limit, kLeastWatts, "a power limit (W)");
}

// Returns a setting with some value for each clock parameter. Only whether a clock is set matters, since the setting
// serves to ask for permission.
backend::BoardSetting roles_of(const std::vector<Parameter>& parameters) {
  backend::BoardSetting wanted;
  for (const Parameter& parameter : parameters) {
    if (parameter.role == ParameterRole::graphics_clock) wanted.graphics = Megahertz();
    if (parameter.role == ParameterRole::memory_clock) wanted.memory = Megahertz();
    if (parameter.role == ParameterRole::power_limit) wanted.power_limit = Watts();
  }
  return wanted;
}

// True if the board is set through NVML. That is so if it has a place on the PCI bus and is not simulated. A simulated
// device sets its board itself.
bool is_borrowed(const DeviceInfo& device) {
  return !device.pci_bus_id.empty() && device.kind != DeviceKind::simulated;
}

// The clock at which kernels ran. It is known when three readings in a row agree with each other and with the setting,
// or else after a second.
struct Standing {
  std::optional<Megahertz> clock;
  bool throttled = false;
};

bool agree(const std::vector<Megahertz>& clocks) {
  constexpr std::size_t kAgreeingReadings = 3;
  if (clocks.size() < kAgreeingReadings) return false;
  const auto [least, most] = std::ranges::minmax(std::span(clocks).last(kAgreeingReadings));
  return most - least <= kStep;
}

// Returns the number of runs until the next reading of the clock. The kernel must run for a while before a reading is
// meaningful.
std::size_t runs_for(const Sample& sample) {
  constexpr Nanoseconds kTimePerReading = nanoseconds_from_ms(5);
  constexpr double kMostRunsPerReading = 1000.0;
  return static_cast<std::size_t>(
      std::clamp(kTimePerReading / std::max(sample.time, Nanoseconds(1)), 1.0, kMostRunsPerReading));
}

// True if the clock is the wanted one, or if the board is throttled. A board may take a third of a second to change its
// clock.
bool is_reached(const Standing& standing, std::optional<Megahertz> wanted) {
  return !wanted || standing.throttled || std::abs((*standing.clock - *wanted).value()) <= kStep.value();
}

Result<Standing> spin_until_standing(const Spin& spin, std::optional<Megahertz> wanted = {}) {
  constexpr Nanoseconds kLongestSettling = nanoseconds_from_seconds(1);
  const Stopwatch stopwatch;
  Standing standing;
  std::vector<Megahertz> clocks;
  std::size_t runs = 1;
  do {
    WATTUNE_ASSIGN(const std::vector<Sample> samples, spin(runs));
    const Sample& last = samples.back();
    standing = {last.clock, last.throttled};
    if (last.clock) clocks.push_back(*last.clock);
    runs = runs_for(last);
  } while (standing.clock && !(agree(clocks) && is_reached(standing, wanted)) &&
           stopwatch.elapsed() < kLongestSettling);
  return standing;
}

std::optional<Megahertz> highest_clock(const backend::BoardChoices& choices) {
  std::optional<Megahertz> highest;
  for (const backend::MemoryClock& row : choices.clocks)
    for (const Megahertz clock : row.graphics) highest = std::max(highest.value_or(clock), clock);
  return highest;
}

// Returns the lowest clock at which a board may run kernels if no program has locked its clocks. Such a board may stay
// somewhat below the highest clock of its table, but not below the vendor's default clock for applications.
Megahertz least_free_clock(const backend::BoardChoices& choices, std::optional<Megahertz> by_default) {
  constexpr double kLeastFreeClockShare = 0.85;
  const Megahertz usual = highest_clock(choices).value_or(Megahertz()) * kLeastFreeClockShare;
  return by_default ? std::max(usual, *by_default - kStep) : usual;
}

}  // namespace

power::BorrowOptions borrow_options(const EvaluatorOptions& options, Nanoseconds reference_limit) {
  constexpr double kAttemptsPerCommand = 2.0;
  constexpr Nanoseconds kTimeBetweenCommands = nanoseconds_from_seconds(60);
  const Nanoseconds attempt = options.limits.compile + options.limits.run;
  return {.take_over = options.take_over,
          .patience = reference_limit + attempt * kAttemptsPerCommand + kTimeBetweenCommands};
}

Result<BoardClocks> BoardClocks::open(const std::vector<Parameter>& parameters, backend::Device& device,
                                      const power::BorrowOptions& options) {
  BoardClocks clocks;
  for (const Parameter& parameter : parameters)
    if (is_set_on_board(parameter.role)) clocks.parameters_.push_back(parameter);
  if (clocks.parameters_.empty()) return clocks;
  const Parameter& first = clocks.parameters_.front();
  if (Result<void> had = clocks.borrow(device, options); !had)
    return std::move(had).error().at(first.position).about(first.name);
  return clocks;
}

Result<void> BoardClocks::borrow(backend::Device& device, power::BorrowOptions options) {
  if (!is_borrowed(device.info())) {
    WATTUNE_ASSIGN(backend::ClockControl* const control, device.clock_control());
    control_ = {control, [](backend::ClockControl* each) { (void)each->restore(); }};
    return {};
  }
  options.wanted = roles_of(parameters_);
  options.has_context = true;
  WATTUNE_ASSIGN(std::unique_ptr<power::ClockLease> lease, power::borrow_clocks(device.info().pci_bus_id, options));
  lease_ = lease.get();
  control_ = std::move(lease);
  WATTUNE_ASSIGN(const backend::BoardSetting idle, control_->current());
  WATTUNE_ASSIGN(const backend::BoardChoices choices, control_->choices());
  const auto by_default = power::find_default_clock(device.info().pci_bus_id);
  least_free_ = least_free_clock(choices, by_default ? *by_default : std::nullopt);
  must_look_ = !options.take_over && idle.graphics && *idle.graphics < least_free_;
  return {};
}

Result<void> BoardClocks::look(const Spin& spin) {
  WATTUNE_ASSIGN(const Standing standing, spin_until_standing(spin));
  WATTUNE_ASSIGN(const backend::BoardChoices choices, control_->choices());
  must_look_ = false;
  if (standing.throttled || !standing.clock || *standing.clock >= least_free_) return {};
  return Error(ErrorCode::unavailable,
               fmt::format("somebody seems to have locked the graphics clock: a kernel runs at {:g} MHz, of {:g} MHz",
                           standing.clock->value(), highest_clock(choices)->value()))
      .hint("taking the board over sets it all the same");
}

Result<void> BoardClocks::apply(const Configuration& configuration) {
  if (!control_) return {};
  WATTUNE_ASSIGN(const backend::BoardSetting wanted, setting_of(configuration));
  if (applied_ == wanted) return confirm();
  applied_.reset();
  disobeyed_.reset();
  settled_ = lease_ == nullptr;
  WATTUNE_TRY(control_->set(wanted));
  WATTUNE_TRY(verify(wanted));
  applied_ = wanted;
  return {};
}

Result<void> BoardClocks::settle(const Spin& spin) {
  if (!applied_ || settled_) return {};
  if (disobeyed_) return *disobeyed_;
  WATTUNE_ASSIGN(const Standing standing, spin_until_standing(spin, applied_->graphics));
  WATTUNE_ASSIGN(const backend::BoardSetting found, control_->current());
  const std::optional<Megahertz> clock = standing.clock ? standing.clock : found.graphics;
  Result<void> obeyed = compare(applied_->memory, found.memory, kStep, "a memory clock (MHz)");
  if (obeyed && !standing.throttled) obeyed = compare(applied_->graphics, clock, kStep, "a graphics clock (MHz)");
  if (!obeyed) disobeyed_ = obeyed.error();
  settled_ = obeyed.has_value();
  return obeyed;
}

Result<backend::BoardSetting> BoardClocks::setting_of(const Configuration& configuration) const {
  backend::BoardSetting setting;
  for (const Parameter& parameter : parameters_) {
    const Value* const value = configuration.find(parameter.name);
    if (value == nullptr || !value->is_number())
      return Error(ErrorCode::invalid_argument, "a value that is set on the board must be a number")
          .about(parameter.name);
    const double number = value->as_real();
    if (parameter.role == ParameterRole::graphics_clock) setting.graphics = Megahertz(number);
    if (parameter.role == ParameterRole::memory_clock) setting.memory = Megahertz(number);
    if (parameter.role == ParameterRole::power_limit) setting.power_limit = Watts(number);
  }
  return setting;
}

// Checks that the board reports the setting. Clocks of a real board are not checked, because they equal the setting
// only while a kernel runs.
Result<void> BoardClocks::verify(const backend::BoardSetting& wanted) const {
  WATTUNE_ASSIGN(const backend::BoardSetting found, control_->current());
  WATTUNE_TRY(compare_limit(wanted, found));
  if (lease_ != nullptr) return {};
  WATTUNE_TRY(compare(wanted.graphics, found.graphics, kStep, "a graphics clock (MHz)"));
  return compare(wanted.memory, found.memory, kStep, "a memory clock (MHz)");
}

}  // namespace wattune::tune
