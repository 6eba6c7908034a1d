#include "report/interface/tuning_page.h"

#include <fmt/format.h>

#include <deque>
#include <filesystem>

#include "core/interface/printable.h"
#include "core/interface/wording.h"
#include "report/interface/trials.h"
#include "report/page/tuning_sections.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

namespace {

using MaybeSection = std::optional<PageSection> (*)(const TuningRun&);

constexpr MaybeSection kMiddleSections[] = {history_section,      distribution_section, importance_section,
                                            interactions_section, trials_section,       values_section,
                                            pareto_section,       energy_section,       effort_section};

std::vector<PageSection> sections_of(const TuningRun& run) {
  std::vector<PageSection> sections = {answer_section(run), next_section(run), failures_section(run)};
  for (const MaybeSection make : kMiddleSections)
    if (auto section = make(run)) sections.push_back(*std::move(section));
  sections.push_back(device_section(run));
  sections.push_back(identity_section(run));
  sections.push_back(commands_section(run));
  return sections;
}

std::string subtitle_of(const TuningRun& run) {
  const RunInfo& info = run.results.info;
  std::string text = counted(run.results.trials.size(), "evaluation");
  if (!info.problem_size.empty()) text = fmt::format("problem size {}, {}", printable(info.problem_size), text);
  return text;
}

std::string name_of_file(const std::string& file) { return std::filesystem::path(file).filename().string(); }

// Returns the kernel and the device, or the name of a file that knows neither.
std::string title_of(const TuningRun& run) {
  const RunInfo& info = run.results.info;
  const bool is_known = !info.kernel_name.empty() || !info.device.name.empty();
  return is_known || run.file.empty() ? name_of(info) : name_of_file(run.file);
}

}  // namespace

Page tuning_page(const std::vector<ResultSet>& results, const std::vector<std::string>& names_of_files) {
  std::vector<std::string> files = names_of_files;
  files.resize(results.size());  // results without a file have no name
  std::deque<TuningRun> runs;
  for (std::size_t i = 0; i < results.size(); ++i) runs.emplace_back(results[i], files[i]);
  if (runs.size() == 1)
    return {.title = title_of(runs.front()),
            .subtitle = subtitle_of(runs.front()),
            .parts = {{.title = name_of_file(files.front()), .sections = sections_of(runs.front())}}};
  const std::vector<std::string> names = telling_names(results, files);
  std::vector<const TuningRun*> all;
  for (const TuningRun& run : runs) all.push_back(&run);
  Page page{.title = fmt::format("{} side by side", counted(runs.size(), "run")), .parts = {}};
  if (!runs.empty()) page.parts.push_back({.title = "Side by side", .sections = {comparison_section(all, names)}});
  for (std::size_t i = 0; i < runs.size(); ++i)
    page.parts.push_back(
        {.title = fmt::format("{} ({})", names[i], subtitle_of(runs[i])), .sections = sections_of(runs[i])});
  return page;
}

std::string write_page(const std::vector<ResultSet>& results, const std::vector<std::string>& files) {
  return to_html(tuning_page(results, files));
}

}  // namespace wattune::report
