#include "cli/tune/tune_together.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "cli/corun/chosen_kernel.h"
#include "cli/inspect/restore_boards.h"
#include "cli/inspect/space_report.h"
#include "cli/program/checked.h"
#include "cli/program/interrupt.h"
#include "cli/program/terminal.h"
#include "cli/program/text.h"
#include "cli/tune/progress.h"
#include "cli/tune/replay.h"
#include "cli/tune/space_building.h"
#include "cli/tune/together_report.h"
#include "cli/tune/tune_journal.h"
#include "company/interface/company.h"
#include "company/interface/stand_ins.h"
#include "core/interface/suggest.h"
#include "schedule/interface/kernel_names.h"
#include "wattune/tune/session.h"

namespace wattune::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostLaunches = 1000;  // largest number of launches of one kernel in one run

Error refuse_together(std::string what, std::string about, std::string advice = "") {
  return Error(ErrorCode::invalid_argument, std::move(what)).about(std::move(about)).hint(std::move(advice));
}

// Rejects options that are only for a single kernel.
Result<void> check_alone_only(const TuneOptions& options) {
  const std::pair<bool, const char*> given[] = {
      {!options.session.method.empty(), "--method"},
      {!options.warm_start.empty(), "--warm-start"},
      {!options.others.empty(), "--others"},
      {!options.metrics.empty(), "--metric"},
      {options.slowdown.has_value(), "--slowdown"},
      {options.sanitize, "--sanitize"},
      {options.mixed_devices, "--mixed-devices"},
      {options.session.evaluation.check == tune::CheckOutput::winners, "--check winners"}};
  const auto refuse = [](std::string name) {
    return refuse_together("kernels that run together are tuned without it", std::move(name));
  };
  for (const auto& [is_given, name] : given)
    if (is_given) return refuse(name);
  if (std::string name = measured_alone_only(options); !name.empty()) return refuse(std::move(name));
  if (replayed_file(options.session.device))
    return refuse_together("kernels run together on a device", options.session.device);
  return {};
}

Result<void> check_together(const TuneOptions& options) {
  const TogetherOptions& together = options.together;
  if (!together.specs.empty() && !together.partner.empty())
    return refuse_together("--together and --partner exclude each other", together.partner);
  if (!together.specs.empty() && !options.spec.file.empty())
    return refuse_together("--together names all specs", options.spec.file, "put it behind --together");
  if (!together.partner.empty() && options.spec.file.empty())
    return refuse_together("--partner needs the SPEC that is tuned", together.partner);
  if (!together.partner.empty() && together.steady)
    return refuse_together("a partner runs all along", "--steady", "leave it out");
  if (!together.launches.empty() && (together.steady || !together.partner.empty()))
    return refuse_together("it says how often kernels are launched", "--launches", "leave out --steady, or --partner");
  if (together.specs.size() == 1)
    return refuse_together("at least two kernels are needed to run together", together.specs.front());
  return check_alone_only(options);
}

Result<company::CompanyGoal> goal_of(const TuneOptions& options) {
  if (options.objectives.empty()) return company::CompanyGoal::makespan;
  const Objective& objective = options.objectives.front();
  if (options.objectives.size() == 1 && !objective.maximize && objective.metric == "energy")
    return company::CompanyGoal::energy;
  if (options.objectives.size() == 1 && !objective.maximize && objective.metric == "time")
    return company::CompanyGoal::makespan;
  return refuse_together("kernels that run together are tuned for time or energy", objective.metric,
                         "--minimize time, or --minimize energy");
}

// Loads a spec with the sizes that belong to it.
Result<KernelSpec> load_member(const std::string& file, const std::vector<std::string>& sizes) {
  WATTUNE_ASSIGN(KernelSpec spec, load_spec({.file = file, .problem_size = {}}));
  const std::vector<std::string> own = sizes_of_kernel(sizes, spec.name);
  return own.empty() ? Result<KernelSpec>(std::move(spec)) : load_spec({.file = file, .problem_size = own});
}

// Loads the members. Rejects a file that is given twice. Different files with the same name get distinct names.
Result<std::vector<company::CompanyMember>> load_members(const std::vector<std::string>& specs,
                                                         const std::vector<std::string>& sizes) {
  std::vector<company::CompanyMember> members;
  std::vector<std::string> names;
  std::vector<fs::path> files;
  for (const std::string& file : specs) {
    std::error_code ignored;
    files.push_back(fs::weakly_canonical(file, ignored));
    if (std::ranges::count(files, files.back()) > 1)
      return refuse_together("the same spec twice", file, "name each kernel once");
    WATTUNE_ASSIGN(KernelSpec spec, load_member(file, sizes));
    names.push_back(spec.name);
    members.push_back({schedule::name_of_place(names, names.size() - 1), std::move(spec)});
  }
  WATTUNE_TRY(check_sizes_of_kernels(sizes, names));
  return members;
}

// Reduces the spec to the chosen configuration.
KernelSpec fixed_spec(ChosenKernel chosen) {
  for (std::size_t p = 0; p < chosen.spec.parameters.size(); ++p) {
    const Value value = chosen.configuration.values()[p];
    chosen.spec.parameters[p].values = {value};
    chosen.spec.parameters[p].default_value = value;
  }
  return std::move(chosen.spec);
}

Result<KernelSpec> partner_spec(const std::string& partner) {
  const std::vector<std::string>& classes = company::stand_in_names();
  if (std::ranges::count(classes, partner) > 0) return company::stand_in(partner);
  auto chosen = choose_kernel(partner);
  if (!chosen) {
    const std::string nearest = suggest(partner, classes);
    const std::string known = fmt::format("{}, or a spec", fmt::join(classes, ", "));
    return std::move(chosen).error().with_context("--partner").hint(nearest.starts_with("did") ? nearest : known);
  }
  return fixed_spec(*std::move(chosen));
}

Result<std::vector<company::CompanyMember>> members_of(const TuneOptions& options) {
  const std::vector<std::string>& sizes = options.spec.problem_size;
  if (options.together.partner.empty()) return load_members(options.together.specs, sizes);
  WATTUNE_ASSIGN(auto members, load_members({options.spec.file}, sizes));
  WATTUNE_ASSIGN(KernelSpec partner, partner_spec(options.together.partner));
  const std::vector<std::string> names = {members.front().name, partner.name};
  members.push_back({schedule::name_of_place(names, 1), std::move(partner)});
  return members;
}

fs::path file_of(const TuneOptions& options, const std::vector<company::CompanyMember>& members) {
  if (!options.output.empty()) return options.output;
  std::string names;
  for (const company::CompanyMember& member : members) names += (names.empty() ? "" : "+") + member.name;
  return names + ".journal.jsonl";
}

// Returns the numbers of launches in the journal that is continued; empty if they must be computed.
Result<std::vector<std::size_t>> earlier_repetitions(const TuneOptions& options, const fs::path& file) {
  std::error_code ignored;
  if (!(options.resume || options.force_resume) || !fs::exists(file, ignored)) return std::vector<std::size_t>();
  WATTUNE_ASSIGN(const ResultSet earlier, store::read_journal(file));
  return company::repetitions_of(earlier.info);
}

// Returns the launches of each member, which are given as NAME=N; empty if no option gives them.
Result<std::vector<std::size_t>> given_launches(const std::vector<std::string>& launches,
                                                const std::vector<company::CompanyMember>& members) {
  if (launches.empty()) return std::vector<std::size_t>();
  std::vector<std::string> names;
  for (const company::CompanyMember& member : members) names.push_back(member.name);
  std::vector<std::size_t> counts(names.size(), 1);
  for (const std::string& each : launches) {
    const auto assignment = parse_assignment(each);
    if (!assignment) return Error(assignment.error()).with_context("--launches");
    const auto& [name, number] = *assignment;
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return refuse_together("--launches names no kernel of these", each, suggest(name, names));
    const auto count = parse_count(number);
    if (!count || *count == 0 || *count > kMostLaunches)
      return refuse_together("--launches takes a number from 1 to 1000 for a kernel", each, *found + "=3, say");
    counts[static_cast<std::size_t>(found - names.begin())] = *count;
  }
  return counts;
}

Result<company::CompanyOptions> company_options(const TuneOptions& options, const fs::path& file,
                                                const std::vector<company::CompanyMember>& members) {
  company::CompanyOptions company;
  company.session = session_options(options);
  WATTUNE_ASSIGN(company.goal, goal_of(options));
  company.partnered = !options.together.partner.empty();
  company.strategy = options.session.strategy;
  company.resident_blocks = options.together.resident_blocks;
  if (company.strategy.empty() && !company.partnered)
    company.strategy = company.resident_blocks.empty() ? "walk" : "walk+auto";
  company.indifference = options.together.indifference;
  company.order = options.together.launch_order;
  company.steady = options.together.steady;
  WATTUNE_ASSIGN(company.repetitions, given_launches(options.together.launches, members));
  if (company.repetitions.empty()) {
    WATTUNE_ASSIGN(company.repetitions, earlier_repetitions(options, file));
  }
  return company;
}

Result<company::CompanyReport> run_company(company::CompanySession& session, store::Journal& journal,
                                           const TuneOptions& options, const std::atomic<bool>& cancel,
                                           const Stopwatch& since_start) {
  if (options.quiet) {
    tune::TuningObserver silent;
    return session.run(journal, silent, journal.recovered(), &cancel, since_start.elapsed());
  }
  ProgressDisplay progress(progress_options(session.stop(), session.space().space(), std::nullopt),
                           journal.recovered());
  auto report = session.run(journal, progress, journal.recovered(), &cancel, since_start.elapsed());
  progress.finish();
  return report;
}

void note_company(const company::CompanySession& session) {
  print_note(
      fmt::format("{} on {} ({})", session.describe().kernel_name, session.device().name, session.device().selector));
  print_note(
      fmt::format("{} configurations of all together, by {}", size_text(session.space().space()), session.strategy()));
  for (const tune::Verification& each : session.verifications()) note_uncompared(each);
}

Result<ExitStatus> conclude_together(const company::CompanySession& session, const company::CompanyReport& report,
                                     store::Journal& journal, const TuneOptions& options, bool interrupted) {
  if (const std::string remark = session.remark(); !options.quiet && !remark.empty()) print_note(remark);
  const Result<void> intact = journal.check_intact();
  const RunInfo info = session.describe();
  const Summary summary{report.tuning,
                        info,
                        journal.file(),
                        session.strategy(),
                        options.session.seed,
                        session.space().space().count(),
                        session.space().space().exact(),
                        std::nullopt,
                        std::nullopt};
  const bool printed = options.json ? print_document(together_json(summary, session, report))
                                    : print_result(together_text(summary, session, report));
  if (!intact) return intact.error();
  WATTUNE_TRY(write_report_of({journal.file()}, options));
  if (!printed) return ExitStatus::environment;
  if (interrupted) return ExitStatus::interrupted;
  return report.tuning.best ? ExitStatus::good : ExitStatus::nothing_correct;
}

Result<ExitStatus> tune_company(company::CompanySession& session, const fs::path& file, const TuneOptions& options,
                                const Stopwatch& since_start) {
  const StopRequest stop;
  const auto placement = [&session](const Trial& trial, const RunInfo&) {
    return tune::place(session.space().space(), trial.configuration);
  };
  WATTUNE_ASSIGN(const auto journal, open_journal(file, session.describe(), placement, options));
  if (!options.quiet) note_company(session);
  auto report = run_company(session, *journal, options, stop.made(), since_start);
  if (report && stop.made() && report->tuning.evaluated + report->tuning.skipped + report->tuning.resumed == 0)
    report = Error(ErrorCode::cancelled, "interrupted before the first evaluation");
  if (!report) return ended_early(std::move(report).error(), *journal, file);
  return conclude_together(session, *report, *journal, options, stop.made());
}

bool sets_board(const company::CompanyMember& member) {
  return std::ranges::any_of(member.spec.parameters,
                             [](const Parameter& parameter) { return is_set_on_board(parameter.role); });
}

// Checks that the settings of this board (of all boards if the name is empty) were restored. If the run failed, too,
// returns the error of the run.
Result<ExitStatus> with_boards_given_back(Result<ExitStatus> status, const std::string& board) {
  Result<void> given_back = check_given_back(board);
  if (given_back) return status;
  return status ? std::move(given_back).error() : std::move(status).error().hint(given_back.error().to_string());
}

}  // namespace

Result<ExitStatus> tune_together(const TuneOptions& options) {
  const Stopwatch since_start;
  WATTUNE_TRY(check_together(options));
  WATTUNE_ASSIGN(auto members, members_of(options));
  const fs::path file = file_of(options, members);
  WATTUNE_TRY(check_journal_file(file, options));
  WATTUNE_ASSIGN(company::CompanyOptions company, company_options(options, file, members));
  company.session.building = building_within(options.session.stop.time, since_start);
  const bool sets_boards = std::ranges::any_of(members, sets_board);
  auto session = company::CompanySession::open(std::move(members), company);
  if (!session) {
    Error error = build_error(std::move(session).error());
    return sets_boards ? with_boards_given_back(std::move(error), "") : std::move(error);
  }
  const std::string board = (*session)->device().pci_bus_id;
  Result<ExitStatus> status = tune_company(**session, file, options, since_start);
  session->reset();
  return sets_boards && !board.empty() ? with_boards_given_back(std::move(status), board) : std::move(status);
}

}  // namespace wattune::cli
