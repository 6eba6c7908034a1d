#include "cli/tune/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/program/terminal.h"
#include "cli/program/text.h"
#include "core/interface/printable.h"
#include "core/logging.h"

namespace wattune::cli {

namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr auto kLogInterval = std::chrono::seconds(5);
constexpr std::string_view kClearLine = "\r\x1b[K";

}  // namespace

ProgressOptions progress_options(const search::StopRule& stop, const space::SearchSpace& space,
                                 std::optional<Objective> objective) {
  return {.live = stderr_is_terminal(),
          .width = [] { return terminal_width(STDERR_FILENO); },
          .write = [](std::string_view bytes) { std::fwrite(bytes.data(), 1, bytes.size(), stderr); },
          .stop = stop,
          .default_id = space.default_configuration(),
          .exact = space.exact(),
          .objective = std::move(objective)};
}

ProgressDisplay::ProgressDisplay(ProgressOptions options, const std::vector<Trial>& recovered)
    : options_(std::move(options)) {
  for (const Trial& trial : recovered) count(trial);
}

void ProgressDisplay::count(const Trial& trial) {
  if (!trial.observation.ok()) {
    ++failures_;
  } else if (trial.configuration.id() == options_.default_id) {
    default_objective_ = trial.observation.search_figures().objective;
  }
}

void ProgressDisplay::on_start(const search::Progress& progress, std::size_t resumed) {
  resumed_ = progress.evaluations;
  if (options_.live || resumed > 0) show(progress);
}

void ProgressDisplay::on_trial(const tune::TuningEvent& event) {
  count(event.trial);
  pipeline_ = event.pipeline;
  log_info("{}", describe(event));
  if (due(event.improved)) show(event.progress);
}

void ProgressDisplay::on_final(std::size_t finalists) {
  const std::string text = finalists == 1 ? "final: the earlier best runs once more"
                                          : fmt::format("final: {} run in turns", counted(finalists, "configuration"));
  options_.write(options_.live ? std::string(kClearLine) + text : text + "\n");
}

void ProgressDisplay::on_device_lost(const std::string& device, const Error& error) {
  options_.write(
      fmt::format("{}{} was lost, the others go on: {}\n", options_.live ? kClearLine : "", device, error.to_string()));
}

bool ProgressDisplay::due(bool improved) const {
  if (!shown_ || (improved && !options_.live)) return true;
  return Clock::now() - *shown_ >= (options_.live ? Clock::duration(kRedraw) : Clock::duration(kLogInterval));
}

void ProgressDisplay::show(const search::Progress& progress) {
  shown_ = Clock::now();
  if (!options_.live) return options_.write(line(progress, std::string::npos) + "\n");
  // The last column stays free, because some terminals wrap when it is written.
  options_.write(std::string(kClearLine) + line(progress, options_.width() - 1));
}

void ProgressDisplay::finish() {
  if (options_.live) options_.write(kClearLine);
}

// Lists the parts of the line in order of importance, as many as fit into the width.
std::string ProgressDisplay::line(const search::Progress& progress, std::size_t width) const {
  const auto left = options_.stop.evaluations_left(progress);
  const Uint128 total =
      left ? std::min<Uint128>(progress.evaluations + *left, progress.space_size) : progress.space_size;
  std::vector<std::string> parts = {fmt::format("{}/{}{}",
                                                group_digits(progress.evaluations + (left ? 0 : progress.skipped)),
                                                options_.exact || left ? "" : "at most ", group_digits(total))};
  if (progress.best_objective) {
    parts.push_back(best(*progress.best_objective));
  }
  if (failures_ > 0) parts.push_back(fmt::format("{} failed", failures_));
  if (const auto seconds = seconds_left(progress)) parts.push_back(format_wait(*seconds) + " left");
  if (const double rate = evaluations_per_second(progress); rate > 0.0)
    parts.push_back(fmt::format("{:.{}f}/s", rate, rate < 10 ? 2 : 0));
  add_pipeline(parts, progress);
  std::string text;
  for (const std::string& part : parts) {
    if (text.size() + 2 + part.size() > width) break;
    text += (text.empty() ? "" : "  ") + part;
  }
  return text;
}

// Adds three facts: how busy the devices were, how many configurations are compiled now or wait for it, and how many
// needed no compiler.
void ProgressDisplay::add_pipeline(std::vector<std::string>& parts, const search::Progress& progress) const {
  if (!pipeline_ || !(progress.elapsed > Nanoseconds(0))) return;
  std::string busy;
  for (const Nanoseconds& time : pipeline_->devices_busy)
    busy += fmt::format(" {:.0f}", 100.0 * (time / progress.elapsed));
  parts.push_back(fmt::format("device{}{} % busy", pipeline_->devices_busy.size() > 1 ? "s" : "", busy));
  if (!pipeline_->compiling) return;
  const backend::CompileActivity& compiling = *pipeline_->compiling;
  if (const std::size_t queue = compiling.waiting + compiling.running; queue > 0)
    parts.push_back(fmt::format("{} compiling", queue));
  if (compiling.cache_hits == 0) return;
  const auto hits = static_cast<double>(compiling.cache_hits);
  parts.push_back(fmt::format("{:.0f} % cached", 100.0 * hits / (hits + static_cast<double>(compiling.compiled))));
}

// Formats an objective with its unit.
std::string ProgressDisplay::figure(double objective) const {
  if (!options_.objective) return format_time(Nanoseconds(objective));
  return fmt::format("{} {:.4g}", printable(options_.objective->metric),
                     options_.objective->maximize ? -objective : objective);
}

std::string ProgressDisplay::best(double objective) const {
  const bool compared = !options_.objective && default_objective_;
  return "best " + figure(objective) + (compared ? fmt::format(" ({:.2f}x)", *default_objective_ / objective) : "");
}

std::string ProgressDisplay::describe(const tune::TuningEvent& event) const {
  const Observation& observation = event.trial.observation;
  return fmt::format("{:<12} {:>10} {} {}", to_string(observation.status),
                     observation.has_objective() ? figure(observation.objective()) : "-", event.improved ? "*" : " ",
                     event.trial.configuration.to_string());
}

double ProgressDisplay::evaluations_per_second(const search::Progress& progress) const {
  const double seconds = to_seconds(progress.elapsed);
  return seconds > 0.0 ? static_cast<double>(progress.evaluations - resumed_) / seconds : 0.0;
}

// Estimates the time left: by the time rule, or by the number of evaluations left at the present rate, whichever ends
// first.
std::optional<double> ProgressDisplay::seconds_left(const search::Progress& progress) const {
  std::optional<double> seconds;
  if (options_.stop.time) seconds = to_seconds(*options_.stop.time - progress.elapsed);
  const double rate = evaluations_per_second(progress);
  if (rate <= 0.0) return seconds;
  const auto left = options_.stop.evaluations_left(progress);
  if (!left && !options_.exact) return seconds;
  const double evaluations =
      left ? static_cast<double>(*left)
           : to_double(progress.space_size) - static_cast<double>(progress.evaluations + progress.skipped);
  return std::min(seconds.value_or(std::numeric_limits<double>::infinity()), std::max(0.0, evaluations) / rate);
}

}  // namespace wattune::cli
