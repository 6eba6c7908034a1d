#include "report/page/tuning_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/interface/energy.h"
#include "core/interface/wording.h"
#include "report/time_text.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

TuningRun::TuningRun(ResultSet all, std::string its_file) : results(std::move(all)), file(std::move(its_file)) {
  name_energy(results);
  ranked = report::ranked(results);
  const Nanoseconds longest = results.longest_time();
  std::erase_if(ranked, [longest](const Trial* trial) { return time_of(*trial) > longest; });
  standard = default_trial(results);
  if (standard != nullptr && !has_time(*standard)) standard = nullptr;
  objective = searched_for(results);
}

std::string word_for_file(const std::string& file) {
  if (file.empty()) return "FILE";
  return quoted_for_shell(file.starts_with('-') ? "./" + file : file);
}

std::string TuningRun::file_word() const { return word_for_file(file); }

std::string TuningRun::file_stem() const {
  constexpr std::size_t kLongestStem = 60;
  std::string stem;
  for (const char c : results.info.kernel_name.substr(0, kLongestStem))
    stem += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' ? c : '_';
  return stem.empty() || stem.front() == '-' ? "kernel" + stem : stem;
}

std::size_t last_improvement(const ResultSet& results) {
  const std::vector<double> best = convergence(results);
  std::size_t last = 0;
  for (std::size_t i = 0; i < best.size(); ++i)
    if (!std::isnan(best[i]) && (i == 0 || best[i] != best[i - 1])) last = i + 1;
  return last;
}

bool has_all_combinations(const TuningRun& run) {
  double combinations = 1.0;
  for (const Parameter& parameter : run.results.info.parameters)
    combinations *= static_cast<double>(std::max<std::size_t>(parameter.values.size(), 1));
  std::size_t evaluated = 0;
  for (const Trial* trial : counting(run.results.trials))
    evaluated += trial->observation.status == Status::not_recorded ? 0 : 1;
  return static_cast<double>(evaluated) == combinations;
}

Nanoseconds cost_of_all(const ResultSet& results) {
  Nanoseconds sum;
  for (const Trial& trial : results.trials) sum += cost_of(trial.observation);
  return sum;
}

std::string duration_text(Nanoseconds time) {
  const double seconds = to_seconds(time);
  if (seconds < 10.0 || !(seconds < 1e9)) return time_text(time);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string times_text(double factor) {
  return factor < 9.995 ? fmt::format("{:.2f} times", factor) : fmt::format("{:.1f} times", factor);
}

}  // namespace wattune::report
