// `wattune tune`: the main job, top to bottom. Nothing is written before everything the user gave was checked.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/inspect/restore_boards.h"
#include "cli/inspect/space_report.h"
#include "cli/program/checked.h"
#include "cli/program/command.h"
#include "cli/program/interrupt.h"
#include "cli/program/terminal.h"
#include "cli/program/text.h"
#include "cli/tune/models.h"
#include "cli/tune/objectives.h"
#include "cli/tune/plan.h"
#include "cli/tune/progress.h"
#include "cli/tune/replay.h"
#include "cli/tune/sanitize.h"
#include "cli/tune/space_building.h"
#include "cli/tune/summary.h"
#include "cli/tune/tune_journal.h"
#include "cli/tune/tune_options.h"
#include "cli/tune/tune_together.h"
#include "core/interface/energy.h"
#include "core/stopwatch.h"
#include "wattune/search/strategy.h"
#include "wattune/store/formats.h"
#include "wattune/store/journal.h"
#include "wattune/tune/placement.h"
#include "wattune/tune/session.h"

namespace wattune::cli {

namespace {

namespace fs = std::filesystem;

fs::path journal_file(const TuneOptions& options, const KernelSpec& spec) {
  if (!options.output.empty()) return options.output;
  return spec.name + (replayed_file(options.session.device) ? ".replay.journal.jsonl" : ".journal.jsonl");
}

using Recorded = std::optional<ResultSet>;

Result<Recorded> load_recorded(const TuneOptions& options) {
  const auto file = replayed_file(options.session.device);
  if (!file) return Recorded();
  if (!options.session.evaluation.observe.empty() || !options.session.evaluation.counters.empty())
    return Error(ErrorCode::invalid_argument, "--observe is for devices: a replay has what was recorded");
  WATTUNE_ASSIGN(ResultSet results, store::load_results(*file));
  name_energy(results);
  return Recorded(std::move(results));
}

// Loads the spec. A replay needs no kernel, and no spec either, since the recorded results are a space.
Result<KernelSpec> load_problem(const TuneOptions& options, const Recorded& recorded) {
  if (!options.spec.file.empty()) {
    WATTUNE_ASSIGN(KernelSpec spec,
                   load_spec(options.spec, recorded ? spec::SourcePolicy::optional : spec::SourcePolicy::required));
    if (options.session.clocks == tune::Clocks::set) return spec;
    return tune::without_clocks(std::move(spec));
  }
  if (!options.spec.problem_size.empty())
    return Error(ErrorCode::invalid_argument, "--problem-size needs SPEC").about(options.spec.problem_size.front());
  if (recorded) return recorded_spec(recorded->info);
  return Error(ErrorCode::invalid_argument, "SPEC is required").hint("see `wattune tune --help`");
}

// Returns the metrics that are measured or recorded beside the time and the resources of a kernel.
std::vector<std::string> observed_metrics(const TuneOptions& options, const Recorded& recorded) {
  return recorded ? tune::recorded_metrics(recorded->trials) : tune::observed_metrics(options.session.evaluation);
}

// Returns the origin of the strategy's name, for errors about it.
std::string origin_of_strategy(const TuneOptions& options, const KernelSpec& spec, const tune::Plan& plan) {
  if (!options.session.method.empty()) return "--method";
  if (!options.session.strategy.empty()) return "--strategy";
  if (!spec.strategy.empty()) return spec.file.string();
  return fmt::format("without --strategy it is {}", plan.strategy);
}

Result<space::SearchSpace> build_space(const KernelSpec& spec, const TuneOptions& options,
                                       const Stopwatch& since_start) {
  auto space = space::SearchSpace::build(spec.parameters, spec.constraints, {},
                                         building_within(options.session.stop.time, since_start));
  if (!space) return build_error(std::move(space).error()).at({spec.file.string()});
  return space;
}

// Prepares the search, and adds to `session` what the user's files say.
Result<std::unique_ptr<tune::TuningTask>> prepare(const TuneOptions& options, const Recorded& recorded,
                                                  tune::SessionOptions& session, const Stopwatch& since_start) {
  WATTUNE_ASSIGN(KernelSpec spec, load_problem(options, recorded));
  WATTUNE_TRY(add_objectives(options, observed_metrics(options, recorded), spec));
  WATTUNE_ASSIGN(space::SearchSpace space,
                 options.spec.file.empty() ? tune::recorded_space(*recorded) : build_space(spec, options, since_start));
  WATTUNE_ASSIGN(session.prior, load_priors(options.warm_start, spec, space));
  const std::string origin =
      origin_of_strategy(options, spec, tune::make_plan(spec, space, session.strategy, session.stop));
  auto search = tune::plan_search(std::move(spec), std::move(space), session);
  if (!search) return std::move(search).error().with_context(origin);
  return search;
}

// Finds compute-sanitizer if asked for; else returns an empty path.
Result<fs::path> sanitizer_of(const TuneOptions& options) {
  if (options.sanitize) return find_compute_sanitizer();
  return fs::path();
}

Result<void> check_sanitizable(const TuneOptions& options, const DeviceInfo& device) {
  if (!options.sanitize || (compiles(device, Language::cuda) && device.kind != DeviceKind::simulated)) return {};
  return Error(ErrorCode::invalid_argument, "--sanitize is for CUDA devices").about(device.selector);
}

Result<std::optional<Sanitized>> sanitize_best(const fs::path& sanitizer, const TuneOptions& options,
                                               const tune::TuningSession& session, const tune::TuningResult& result) {
  if (sanitizer.empty() || !result.best) return std::optional<Sanitized>();
  if (!options.quiet) print_note("the best runs once more under compute-sanitizer");
  auto found = sanitize(sanitizer, options.spec.file, session.spec(), result.best->configuration,
                        session.devices().front().selector);
  if (!found) return std::move(found).error().with_context("--sanitize");
  return std::optional(*std::move(found));
}

ExitStatus status_of(const tune::TuningResult& result, const std::optional<Sanitized>& sanitized, bool interrupted) {
  if (interrupted) return ExitStatus::interrupted;
  if (sanitized && sanitized->errors > 0) return ExitStatus::nothing_correct;
  return result.best ? ExitStatus::good : ExitStatus::nothing_correct;
}

void note_recording(const tune::Recording& recording, const space::SearchSpace& space) {
  const std::size_t answers = recording.trials().size();
  if (answers < space.count())
    print_note(fmt::format("{} of {} configurations are recorded, the others fail as not_recorded",
                           group_digits(answers), size_text(space)));
  if (recording.outside() > 0)
    print_note(
        fmt::format("{} recorded configurations are not in the space of the spec", group_digits(recording.outside())));
}

// Prints notes on choices that the user did not make.
void note_session(const tune::TuningSession& session) {
  if (const tune::Recording* const recording = session.recording()) note_recording(*recording, session.space());
  if (const std::size_t added = session.added_counters().size(); added > 0)
    print_note(fmt::format("{} hardware counters are observed for the strategy, as by --observe profile", added));
  print_note(fmt::format("{} on {}", session.spec().name, tune::describe(session.devices())));
  print_note(explain(session.plan(), session.space()));
  if (const std::string note = default_note(session.space()); !note.empty()) print_note(note);
  for (const std::string& doubt : spec::doubts(session.spec())) print_note(doubt);
  note_uncompared(session.evaluators().front()->verification());
}

Result<std::unique_ptr<tune::TuningSession>> open_session(std::unique_ptr<tune::TuningTask> search, Recorded recorded,
                                                          tune::SessionOptions session, const TuneOptions& options) {
  if (recorded)
    return tune::open_recording(std::move(search), *std::move(recorded),
                                recording_identity(*replayed_file(session.device)), session);
  WATTUNE_ASSIGN(session.compile_cache, cache_of(options));
  return tune::open(std::move(search), session);
}

Result<tune::TuningResult> run_search(tune::TuningSession& session, store::Journal& journal, const TuneOptions& options,
                                      const std::atomic<bool>& cancel, const Stopwatch& since_start) {
  if (options.quiet) {
    tune::TuningObserver silent;
    return session.run(journal, silent, journal.recovered(), &cancel, since_start.elapsed());
  }
  ProgressDisplay progress(
      progress_options(session.plan().stop, session.space(), tune::custom_objective(session.spec())),
      journal.recovered());
  auto result = session.run(journal, progress, journal.recovered(), &cancel, since_start.elapsed());
  progress.finish();
  return result;
}

// Returns the configuration that a method chose; nullopt without a method.
std::optional<Configuration> chosen_by(const tune::TuningSession& session) {
  const auto id = session.strategy().chosen();
  return id ? std::optional(session.space().configuration(*id)) : std::nullopt;
}

// Ends the command when the search is over: sanitizes the best configuration if asked for, and reports the result.
Result<ExitStatus> conclude(const tune::TuningSession& session, const tune::TuningResult& result, const RunInfo& info,
                            store::Journal& journal, const TuneOptions& options, const fs::path& sanitizer,
                            bool interrupted) {
  if (const std::string remark = session.strategy().remark(); !options.quiet && !remark.empty()) print_note(remark);
  const auto sanitized = sanitize_best(sanitizer, options, session, result);
  const Result<void> intact = journal.check_intact();
  const Summary summary{result,
                        info,
                        journal.file(),
                        session.plan().strategy,
                        options.session.seed,
                        session.space().count(),
                        session.space().exact(),
                        chosen_by(session),
                        sanitized ? *sanitized : std::nullopt};
  const bool printed = options.json ? print_document(summary_json(summary)) : print_result(summary_text(summary));
  if (!intact) return intact.error();
  if (!sanitized) return sanitized.error();
  return printed ? status_of(result, *sanitized, interrupted) : ExitStatus::environment;
}

// Ends the session, which gives the boards back, and checks that they were.
Result<void> give_boards_back(std::unique_ptr<tune::TuningSession> session) {
  const std::vector<DeviceInfo> devices = session->devices();
  const auto is_set = [](const Parameter& parameter) { return is_set_on_board(parameter.role); };
  const bool borrowed = session->recording() == nullptr && std::ranges::any_of(session->spec().parameters, is_set);
  session.reset();
  for (const DeviceInfo& device : devices)
    if (borrowed && !device.pci_bus_id.empty()) WATTUNE_TRY(check_given_back(device.pci_bus_id));
  return {};
}

// Returns the description of the run, with the reference of the journal that it continues.
Result<RunInfo> described(const tune::TuningSession& session, const fs::path& file, const TuneOptions& options) {
  RunInfo info = session.describe();
  std::error_code ignored;
  if (!options.resume || session.recording() != nullptr || !fs::exists(file, ignored)) return info;
  const auto earlier = store::read_journal(file);
  if (!earlier) return info;  // opening it reports the error
  WATTUNE_TRY(tune::adopt_former_reference(session.space(), *session.evaluators().front(), earlier->info, info));
  return info;
}

Result<ExitStatus> tune_one_model(const TuneOptions& options) {
  const Stopwatch since_start;
  WATTUNE_ASSIGN(Recorded recorded, load_recorded(options));
  tune::SessionOptions wanted = session_options(options);
  WATTUNE_ASSIGN(auto search, prepare(options, recorded, wanted, since_start));
  const fs::path file = journal_file(options, search->spec);
  WATTUNE_TRY(check_journal_file(file, options));

  WATTUNE_ASSIGN(const fs::path sanitizer, sanitizer_of(options));
  WATTUNE_ASSIGN(auto session, open_session(std::move(search), std::move(recorded), std::move(wanted), options));
  WATTUNE_TRY(check_sanitizable(options, session->devices().front()));
  WATTUNE_ASSIGN(const RunInfo info, described(*session, file, options));
  const StopRequest stop;
  WATTUNE_ASSIGN(const auto placement, tune::placement(session->spec(), session->space()));
  WATTUNE_ASSIGN(const auto journal, open_journal(file, info, placement, options));
  if (!options.quiet) note_session(*session);
  auto result = run_search(*session, *journal, options, stop.made(), since_start);
  if (result && stop.made() && result->evaluated + result->skipped + result->resumed == 0)
    result = Error(ErrorCode::cancelled, "interrupted before the first evaluation");
  if (!result) return ended_early(std::move(result).error(), *journal, file);
  Result<ExitStatus> status = conclude(*session, *result, info, *journal, options, sanitizer, stop.made());
  WATTUNE_TRY(give_boards_back(std::move(session)));
  return status;
}

// Tunes one model after another, after checking that no results are in the way. Returns the worst status.
Result<ExitStatus> tune_each_model(const TuneOptions& options) {
  WATTUNE_ASSIGN(const KernelSpec spec, load_problem(options, {}));
  WATTUNE_ASSIGN(const std::vector<TuneOptions> models, options_by_model(options, spec, journal_file(options, spec)));
  for (const TuneOptions& model : models) WATTUNE_TRY(check_journal_file(model.output, model));
  ExitStatus worst = ExitStatus::good;
  for (const TuneOptions& model : models) {
    WATTUNE_ASSIGN(const ExitStatus status, tune_one_model(model));
    worst = std::max(worst, status);
    if (status == ExitStatus::interrupted) break;
  }
  return worst;
}

// Rejects options that have a meaning only for kernels that run together.
Result<void> check_alone(const TogetherOptions& together) {
  const std::pair<bool, const char*> given[] = {{together.steady, "--steady"},
                                                {!together.launches.empty(), "--launches"},
                                                {!together.launch_order.empty(), "--launch-order"},
                                                {!together.resident_blocks.empty(), "--resident-blocks"}};
  for (const auto& [is_given, name] : given)
    if (is_given)
      return Error(ErrorCode::invalid_argument, "one kernel is tuned without it")
          .about(name)
          .hint("--together or --partner names others");
  return {};
}

Result<ExitStatus> run_tune(const TuneOptions& options) {
  WATTUNE_TRY(options.session.stop.validate());
  WATTUNE_TRY(options.session.sampling.validate());
  if (options.together.wanted()) return tune_together(options);
  WATTUNE_TRY(check_alone(options.together));
  WATTUNE_TRY(check_compiling(options));
  WATTUNE_TRY(check_method(options));
  const bool apart = options.mixed_devices && !replayed_file(options.session.device);
  return apart ? tune_each_model(options) : tune_one_model(options);
}

}  // namespace

Command add_tune(CLI::App& program) {
  const auto options = std::make_shared<TuneOptions>();
  CLI::App* app = program.add_subcommand("tune", "Search the configurations of a kernel for the fastest correct one");
  declare_tune_options(*app, *options);
  app->footer(
      "Each result is written to the journal before the next launch: a run that was stopped or killed goes on with\n"
      "--resume. The default configuration is measured first, for comparison. Ctrl-C ends the run with its results.\n"
      "A function in C++ or C, such as OpenMP code, runs on host:0, the processors of this machine.\n\n"
      "Examples:\n"
      "  wattune tune vector_add.toml\n"
      "  wattune tune gemm.toml --time 10m --device \"RTX 4090\"\n"
      "  wattune tune gemm.toml --strategy random --evaluations 500 --seed 7 --json --quiet\n"
      "  wattune tune gemm.toml --problem-size m=2048 --problem-size n=2048 --output gemm-2048.journal.jsonl\n"
      "  wattune tune gemm.toml --resume --time 30m\n"
      "  wattune tune gemm.toml --device cuda:all\n"
      "  wattune tune --together lud.toml hotspot.toml --evaluations 50\n"
      "  wattune tune gemm.toml --partner memory\n"
      "  wattune tune --device replay:gemm.cache.json.xz --time 10m");
  return {app, [options] { return run_tune(*options); }};
}

}  // namespace wattune::cli
