#include "cli/results/measured_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/program/terminal.h"
#include "cli/program/text.h"
#include "core/interface/energy.h"
#include "core/interface/memory_clock.h"
#include "report/interface/analysis.h"
#include "wattune/spec/spec.h"
#include "wattune/store/formats.h"

namespace wattune::cli {

namespace {

Result<void> check_possible(const ResultSet& results, const std::string& file) {
  for (const Trial& trial : results.trials)
    if (const Metric* const metric = impossible_energy(trial.observation))
      return Error(ErrorCode::invalid_argument, "a recorded energy or power is not above 0")
          .about(fmt::format("{} {:g} of {}", metric->name, metric->value, trial.configuration.to_string()))
          .with_context(file);
  return {};
}

// Where a kernel was recorded.
struct RecordedAt {
  std::string file;
  std::string board;                // empty for a spec, or if none was recorded
  std::optional<Megahertz> memory;  // nullopt for a spec, or if no parameter tells it
};

Result<RecordedAt> recorded_at(const std::string& file) {
  RecordedAt place{.file = file};
  if (file.empty() || spec::is_spec(file)) return place;
  WATTUNE_ASSIGN(const ResultSet results, store::load_results(file));
  place.board = results.info.device.name;
  const std::vector<report::AtClock> clocks = report::by_clock_of_one_code(results);
  if (clocks.empty()) return place;
  auto memory = memory_clock_of(clocks.front().least->configuration, results.info.parameters);
  if (!memory) return std::move(memory).error().with_context(file);
  place.memory = *memory;
  return place;
}

std::string memory_text(const std::optional<Megahertz>& memory) {
  return memory ? fmt::format("at a memory clock of {:g} MHz", memory->value())
                : "at a memory clock that it does not tell";
}

// Notes recordings of another board, or at another memory clock, than the first one.
Result<void> note_places(const std::string& own, const std::vector<std::string>& files) {
  if (files.empty()) return {};
  WATTUNE_ASSIGN(RecordedAt first, recorded_at(own));
  for (const std::string& file : files) {
    WATTUNE_ASSIGN(const RecordedAt other, recorded_at(file));
    if (first.board.empty()) {
      first = other;
      continue;
    }
    if (!other.board.empty() && other.board != first.board)
      print_note(fmt::format("{} is of {}, and {} of {}: advice holds for kernels of one board", file, other.board,
                             first.file, first.board));
    if (other.memory != first.memory)
      print_note(fmt::format("{} is {}, and {} {}: advice holds for one memory clock", file, memory_text(other.memory),
                             first.file, memory_text(first.memory)));
  }
  return {};
}

Watts power_at(const report::AtClock& clock) {
  const Observation& its = clock.least->observation;
  return *energy_of(its) / its.statistics->median;
}

}  // namespace

std::vector<std::string> stray_texts(const ResultSet& results) {
  constexpr double kStray = 0.5;
  const std::vector<report::AtClock> clocks = report::by_clock_of_one_code(results);
  std::vector<std::string> texts;
  for (std::size_t i = 0; clocks.size() > 2 && i < clocks.size(); ++i) {
    const bool is_lowest = i == 0, is_highest = i + 1 == clocks.size();
    const Watts here = power_at(clocks[i]);
    const Watts one = power_at(clocks[is_lowest ? 2 : i - 1]);
    const Watts other = power_at(clocks[is_highest ? i - 2 : i + 1]);
    const bool is_above = !is_highest && here > (1.0 + kStray) * std::max(one, other);
    const bool is_below = !is_lowest && here < (1.0 - kStray) * std::min(one, other);
    if (is_above || is_below)
      texts.push_back(
          fmt::format("the power at {:g} MHz stands out: {:.3g} W, between {:.3g} and {:.3g} W at the "
                      "clocks beside it",
                      clocks[i].clock.value(), here.value(), one.value(), other.value()));
  }
  return texts;
}

std::string unknown_memory_text(const ResultSet& results) {
  std::size_t unknown = 0;
  std::string first;
  for (const Trial& trial : results.trials) {
    if (memory_clock_of(trial.configuration, results.info.parameters)) continue;
    if (unknown++ == 0) first = trial.configuration.to_string();
  }
  if (unknown == 0) return {};
  return fmt::format("the memory's clock of {} is unknown (`{}`): it is no number of MHz above 0",
                     counted(unknown, "configuration"), first);
}

std::string impossible_text(std::size_t configurations) {
  return fmt::format("{} {} an energy or a power that is not above 0, which is left out",
                     counted(configurations, "configuration"), configurations == 1 ? "has" : "have");
}

bool is_throttled(const Observation& observation) {
  return std::ranges::any_of(observation.metrics, [](const Metric& metric) {
    return metric.name == "energy_throttled" && metric.value > 0.0;
  });
}

Error too_few_clocks(const std::string& file) {
  return Error(ErrorCode::invalid_argument, "advice needs energies at two graphics clocks or more")
      .about(file)
      .hint("a parameter `nvml_gr_clock` sets the clock (docs/formats/spec.md), and `--observe energy` measures");
}

Result<tune::MeasuredKernel> measured_kernel(const std::string& file) {
  WATTUNE_ASSIGN(const ResultSet results, store::load_results(file));
  return measured_kernel(results, file);
}

Result<tune::MeasuredKernel> measured_kernel(const ResultSet& results, const std::string& file) {
  WATTUNE_TRY(check_possible(results, file));
  for (const std::string& text : stray_texts(results)) print_note(fmt::format("{}: {}", file, text));
  const std::string& name = results.info.kernel_name;
  tune::MeasuredKernel kernel{.name = name.empty() ? file : name, .points = {}};
  std::size_t throttled = 0;
  for (const report::AtClock& each : report::by_clock_of_one_code(results)) {
    const Observation& its = each.least->observation;
    if (is_throttled(its))
      ++throttled;
    else
      kernel.points.push_back({each.clock, its.statistics->median, *energy_of(its)});
  }
  if (!kernel.points.empty()) return kernel;
  if (throttled == 0) return too_few_clocks(file);
  return Error(ErrorCode::invalid_argument, "power or heat held the clock down at each of its clocks").about(file);
}

Result<std::vector<tune::MeasuredKernel>> measured_kernels(const std::vector<std::string>& files,
                                                           const std::string& own) {
  WATTUNE_TRY(note_places(own, files));
  std::vector<tune::MeasuredKernel> kernels;
  for (const std::string& file : files) {
    if (file == own) continue;
    WATTUNE_ASSIGN(tune::MeasuredKernel kernel, measured_kernel(file));
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace wattune::cli
