// `wattune advise`: finds the clock of least energy for a kernel, by measuring a few clocks and by results of other
// kernels.
#include "wattune/tune/advise.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/program/command.h"
#include "cli/program/json.h"
#include "cli/program/options.h"
#include "cli/program/terminal.h"
#include "cli/program/text.h"
#include "cli/results/measured_kernels.h"
#include "core/interface/energy.h"
#include "tune/interface/methods.h"
#include "wattune/spec/spec.h"
#include "wattune/tune/session.h"

namespace wattune::cli {

namespace {

struct AdviseOptions {
  std::string file;
  std::vector<std::string> others;
  std::string device = "auto";
  std::optional<double> power_cap;  // highest power, in watts
  tune::AdviceOptions advice;
  bool json = false;
};

// A kernel whose clocks can be measured, on a device or in a recording.
struct AdvisedKernel {
  std::string name;
  std::vector<Megahertz> table;
  tune::MeasureAtClock measure;
  std::vector<search::ClockPoint> recorded;  // recorded points; empty on a device
};

AdvisedKernel in_recording(tune::MeasuredKernel recorded) {
  AdvisedKernel kernel{.name = recorded.name, .table = {}, .measure = nullptr, .recorded = std::move(recorded.points)};
  for (const search::ClockPoint& point : kernel.recorded) kernel.table.push_back(point.clock);
  kernel.measure = [points = kernel.recorded](Megahertz clock) -> Result<search::ClockPoint> {
    return *std::ranges::min_element(
        points, {}, [&](const search::ClockPoint& point) { return std::abs((point.clock - clock).value()); });
  };
  return kernel;
}

// Returns the error with what to do if a board or its clocks are not to be had.
Error without_board(Error error) {
  if (error.code() != ErrorCode::unavailable && error.code() != ErrorCode::busy) return error;
  return std::move(error).hint(
      "where clocks cannot be set, `wattune advise` takes a recording instead of a spec; `wattune power` says what "
      "setting them lacks");
}

// Measures the default configuration at a clock.
Result<search::ClockPoint> measure_at(tune::TuningSession& session, Megahertz clock) {
  const space::SearchSpace& space = session.space();
  const auto& parameters = space.parameters();
  const auto graphics = std::ranges::find(parameters, ParameterRole::graphics_clock, &Parameter::role);
  space::ValueIndices indices;
  space.unrank(space.default_configuration(), indices);
  const auto place = std::ranges::find_if(
      graphics->values, [&](const Value& value) { return value.is_number() && value.as_real() == clock.value(); });
  indices[static_cast<std::size_t>(graphics - parameters.begin())] =
      static_cast<std::uint16_t>(place - graphics->values.begin());
  if (!space.contains(indices))
    return Error(ErrorCode::invalid_argument, "the constraints forbid the default configuration at this clock")
        .about(fmt::format("{:g} MHz", clock.value()));
  WATTUNE_ASSIGN(const Observation observation,
                 session.evaluators().front()->evaluate(space.configuration(space.rank(indices))));
  const std::optional<Joules> energy = energy_of(observation);
  if (observation.ok() && energy) return search::ClockPoint{clock, observation.statistics->median, *energy};
  return without_board(Error(ErrorCode::unavailable, observation.ok() ? "no energy was measured" : observation.message)
                           .about(fmt::format("{:g} MHz", clock.value())));
}

Result<AdvisedKernel> on_device(const AdviseOptions& options, std::unique_ptr<tune::TuningSession>& session) {
  WATTUNE_ASSIGN(KernelSpec spec, spec::load(options.file));
  AdvisedKernel kernel{
      .name = spec.name, .table = tune::graphics_clocks(spec.parameters), .measure = nullptr, .recorded = {}};
  if (kernel.table.size() < 2) return too_few_clocks(options.file);
  tune::SessionOptions session_options{.device = options.device};
  session_options.evaluation.observe = {tune::BoardMetric::energy};
  auto opened = tune::open(std::move(spec), std::move(session_options));
  if (!opened) return without_board(std::move(opened).error());
  session = *std::move(opened);
  kernel.measure = [&session](Megahertz clock) { return measure_at(*session, clock); };
  return kernel;
}

// Returns the recorded clock of least energy among those within the limits; nullptr if no clock is.
const search::ClockPoint* least_recorded(const AdvisedKernel& kernel, const tune::AdviceOptions& limits) {
  const search::ClockPoint* least = nullptr;
  for (const search::ClockPoint& point : kernel.recorded) {
    const bool slow = limits.slowdown && point.time / kernel.recorded.back().time > 1.0 + *limits.slowdown;
    const bool drawing = limits.power && point.energy / point.time > *limits.power;
    if (!slow && !drawing && (least == nullptr || point.energy < least->energy)) least = &point;
  }
  return least;
}

// Returns the recorded energy at the advised clock, divided by the least recorded energy, minus one. Returns nullopt
// without a recording.
std::optional<double> recorded_regret(const AdvisedKernel& kernel, const tune::Advice& advice,
                                      const tune::AdviceOptions& limits) {
  const search::ClockPoint* const least = least_recorded(kernel, limits);
  if (least == nullptr) return std::nullopt;
  const Result<search::ClockPoint> advised = kernel.measure(advice.clock);
  return advised->energy / least->energy - 1.0;
}

std::string share_text(const tune::LikelyShare& share, bool is_measured) {
  if (is_measured) return fmt::format("{:.1f} %", 100.0 * share.expected);
  return fmt::format("{:.1f} % (95 %: {:.1f} to {:.1f} %)", 100.0 * share.expected, 100.0 * share.low,
                     100.0 * share.high);
}

std::string advice_text(const AdvisedKernel& kernel, const tune::Advice& advice, const tune::AdviceOptions& limits) {
  std::string text = fmt::format("{}: {:g} MHz, {}\n", kernel.name, advice.clock.value(),
                                 advice.is_measured ? "measured" : "predicted");
  text += fmt::format("  energy    {} of that at {:g} MHz\n", share_text(advice.energy, advice.is_measured),
                      advice.measured.front().clock.value());
  text += fmt::format("  time      {}\n", share_text(advice.time, advice.is_measured));
  if (limits.slowdown || limits.power)
    text += fmt::format("  limits    kept with {:.0f} % probability\n", 100.0 * advice.chance);
  text += fmt::format("  regret    {:.2f} % of the energy expected\n", 100.0 * advice.regret);
  for (const search::ClockPoint& point : advice.measured)
    text += fmt::format("  measured  {:g} MHz: {}, {:.4g} J\n", point.clock.value(), format_time(point.time),
                        point.energy.value());
  if (advice.next)
    text += fmt::format("  next      {:g} MHz, which is expected to save {:.2f} %\n", advice.next->clock.value(),
                        100.0 * advice.next->saving);
  if (const auto regret = recorded_regret(kernel, advice, limits))
    text += fmt::format("  recorded  {:.2f} % above the least, which is at {:g} MHz\n", 100.0 * *regret,
                        least_recorded(kernel, limits)->clock.value());
  return text;
}

Json share_json(const tune::LikelyShare& share) {
  return {{"expected", share.expected}, {"low", share.low}, {"high", share.high}};
}

Json advice_json(const AdvisedKernel& kernel, const tune::Advice& advice, const tune::AdviceOptions& limits) {
  Json measured = Json::array();
  for (const search::ClockPoint& point : advice.measured)
    measured.push_back(
        {{"clock_mhz", point.clock.value()}, {"time_ms", to_ms(point.time)}, {"energy_j", point.energy.value()}});
  Json next = nullptr;
  if (advice.next) next = {{"clock_mhz", advice.next->clock.value()}, {"saving", advice.next->saving}};
  return {{"kernel", kernel.name},
          {"clock_mhz", advice.clock.value()},
          {"measured_there", advice.is_measured},
          {"energy", share_json(advice.energy)},
          {"time", share_json(advice.time)},
          {"chance", advice.chance},
          {"regret", advice.regret},
          {"measured", measured},
          {"next", next},
          {"recorded_regret", json_or_null(recorded_regret(kernel, advice, limits))}};
}

Result<ExitStatus> run_advise(AdviseOptions options) {
  if (options.power_cap) options.advice.power = Watts(*options.power_cap);
  WATTUNE_ASSIGN(const auto others, measured_kernels(options.others, options.file));
  std::unique_ptr<tune::TuningSession> session;
  AdvisedKernel kernel;
  if (spec::is_spec(options.file)) {
    WATTUNE_ASSIGN(kernel, on_device(options, session));
  } else {
    WATTUNE_ASSIGN(tune::MeasuredKernel recorded, measured_kernel(options.file));
    kernel = in_recording(std::move(recorded));
  }
  WATTUNE_ASSIGN(const tune::Advice advice, tune::advise(kernel.measure, kernel.table, others, options.advice));
  const bool printed = options.json ? print_document(dump(advice_json(kernel, advice, options.advice)))
                                    : print_result(advice_text(kernel, advice, options.advice));
  return printed ? ExitStatus::good : ExitStatus::environment;
}

}  // namespace

Command add_advise(CLI::App& program) {
  const auto options = std::make_shared<AdviseOptions>();
  CLI::App* app = program.add_subcommand("advise", "Name the clock of least energy, from a few measured clocks");
  app->add_option(
         "FILE", options->file,
         "The kernel: a spec with graphics clocks (TOML, or T1 JSON), whose default configuration is measured, or a "
         "recording of its clocks")
      ->required();
  app->add_option("--others", options->others,
                  "Recordings of three other kernels or more, at the same clocks of the same board")
      ->type_name("FILE")
      ->required();
  add_parsed(*app, "--clocks", options->advice.clocks, parse_positive_count, "N",
             "How many clocks of the kernel are measured; the highest comes first")
      ->default_str("2");
  add_parsed(*app, "--slowdown", options->advice.slowdown, parse_percent, "PERCENT",
             "How much longer than at the highest clock the kernel may take");
  add_parsed(*app, "--power-cap", options->power_cap, parse_number, "WATTS", "The most that the board may draw");
  add_parsed(*app, "--confidence", options->advice.confidence, parse_share, "SHARE",
             "The probability with which these limits are to be kept")
      ->default_str("90%");
  app->add_option("--device", options->device, "The device that measures a spec")
      ->type_name("DEVICE")
      ->default_str("auto");
  app->add_flag("--json", options->json, "Print one JSON document (docs/formats/json.md)");
  app->footer(
      "Examples:\n"
      "  wattune advise new.journal.jsonl --others a.journal.jsonl b.json c.json\n"
      "  wattune advise new.toml --others recorded/*.json --clocks 3 --slowdown 10%");
  return {app, [options] { return run_advise(*options); }};
}

}  // namespace wattune::cli
