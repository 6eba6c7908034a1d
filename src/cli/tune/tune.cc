// `wattune tune`: the steps of a tuning run, from top to bottom. No file is written before all input of the user was
// checked.
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
#include "cli/results/measured_kernels.h"
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
#include "core/stopwatch.h"
#include "wattune/store/journal.h"
#include "wattune/tune/session.h"

namespace wattune::cli {

namespace {

namespace fs = std::filesystem;

fs::path journal_file(const TuneOptions& options, const KernelSpec& spec) {
  if (!options.output.empty()) return options.output;
  return spec.name + (replayed_file(options.session.device) ? ".replay.journal.jsonl" : ".journal.jsonl");
}

Result<std::optional<tune::Replay>> replay_of(const TuneOptions& options) {
  const auto file = replayed_file(options.session.device);
  if (!file) return std::optional<tune::Replay>();
  if (!options.session.evaluation.observe.empty() || !options.session.evaluation.counters.empty())
    return Error(ErrorCode::invalid_argument, "--observe is for devices: a replay has what was recorded");
  WATTUNE_ASSIGN(tune::Replay replay, load_replay(*file));
  return std::optional(std::move(replay));
}

// Loads the spec. A replay needs no kernel, and not even a spec, since the recorded results define a space.
Result<KernelSpec> load_problem(const TuneOptions& options, const std::optional<tune::Replay>& replay) {
  if (!options.spec.file.empty())
    return load_spec(options.spec, replay ? spec::SourcePolicy::optional : spec::SourcePolicy::required);
  if (!options.spec.problem_size.empty())
    return Error(ErrorCode::invalid_argument, "--problem-size needs SPEC").about(options.spec.problem_size.front());
  if (replay) return recorded_spec(replay->results.info);
  return Error(ErrorCode::invalid_argument, "SPEC is required").hint("see `wattune tune --help`");
}

// Returns the metrics that are measured or recorded beside the time and the resources of a kernel.
std::vector<std::string> observed_metrics(const tune::SessionOptions& session) {
  return session.replay ? tune::recorded_metrics(session.replay->results.trials)
                        : tune::observed_metrics(session.evaluation);
}

// Returns a text on the origin of the strategy's name, for errors about the strategy.
std::string origin_of_strategy(const tune::TuningTask& task) {
  if (!task.options.method.empty()) return "--method";
  if (!task.options.strategy.empty()) return "--strategy";
  if (!task.spec.strategy.empty()) return task.spec.file.string();
  return fmt::format("without --strategy it is {}", task.plan.strategy);
}

// Loads the user's files and plans the search.
Result<std::unique_ptr<tune::TuningTask>> plan_tuning(const TuneOptions& options, const Stopwatch& since_start) {
  tune::SessionOptions session = session_options(options);
  session.building = building_within(session.stop.time, since_start);
  WATTUNE_ASSIGN(session.replay, replay_of(options));
  WATTUNE_ASSIGN(KernelSpec spec, load_problem(options, session.replay));
  if (!session.replay) session.evaluation.observe = metrics_to_observe(spec, options);
  WATTUNE_TRY(add_objectives(options, observed_metrics(session), spec));
  WATTUNE_ASSIGN(session.earlier, load_earlier(options.warm_start));
  WATTUNE_ASSIGN(session.others, measured_kernels(options.others, replayed_file(options.session.device).value_or("")));
  auto task = tune::plan_search(std::move(spec), std::move(session));
  if (!task) return build_error(std::move(task).error());
  const tune::TuningTask& planned = **task;
  if (!planned.strategy) return Error(planned.strategy.error()).with_context(origin_of_strategy(planned));
  return task;
}

// Finds compute-sanitizer if the user asked for it. Otherwise returns an empty path.
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
  if (recording.impossible() > 0) print_note(impossible_text(recording.impossible()));
  const ResultSet results{.info = recording.info(), .trials = recording.trials()};
  if (const std::string unknown = unknown_memory_text(results); !unknown.empty()) print_note(unknown);
  for (const std::string& text : stray_texts(results)) print_note(text);
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

// Ends the command when the search is over: checks the best configuration by compute-sanitizer if the user asked for
// it, and reports the result.
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
  WATTUNE_TRY(write_report_of({journal.file()}, options));
  if (!sanitized) return sanitized.error();
  return printed ? status_of(result, *sanitized, interrupted) : ExitStatus::environment;
}

// Ends the session, which restores the settings of boards, and checks that they were restored.
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
  std::error_code ignored;
  if (!options.resume || session.recording() != nullptr || !fs::exists(file, ignored)) return session.describe();
  const auto earlier = store::read_journal(file);
  // A journal that cannot be read is no error here; opening it will report the error.
  return earlier ? session.describe(earlier->info) : session.describe();
}

Result<ExitStatus> tune_one_model(const TuneOptions& options) {
  const Stopwatch since_start;
  WATTUNE_ASSIGN(auto task, plan_tuning(options, since_start));
  const fs::path file = journal_file(options, task->spec);
  WATTUNE_TRY(check_journal_file(file, options));

  WATTUNE_ASSIGN(const fs::path sanitizer, sanitizer_of(options));
  if (!task->options.replay) {
    WATTUNE_ASSIGN(task->options.compile_cache, cache_of(options));
  }
  WATTUNE_ASSIGN(auto session, tune::open(std::move(task)));
  WATTUNE_TRY(check_sanitizable(options, session->devices().front()));
  WATTUNE_ASSIGN(const RunInfo info, described(*session, file, options));
  const StopRequest stop;
  WATTUNE_ASSIGN(const auto placement, session->placement());
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

// Tunes one model after another. First checks that no run would overwrite results. Returns the worst status.
Result<ExitStatus> tune_each_model(const TuneOptions& options) {
  WATTUNE_ASSIGN(const KernelSpec spec, load_problem(options, {}));
  WATTUNE_ASSIGN(const std::vector<TuneOptions> models, options_by_model(options, spec, journal_file(options, spec)));
  for (const TuneOptions& model : models) WATTUNE_TRY(check_journal_file(model.output, model));
  ExitStatus worst = ExitStatus::good;
  std::vector<fs::path> journals;
  for (TuneOptions model : models) {
    model.report.clear();  // one page is about all of them
    WATTUNE_ASSIGN(const ExitStatus status, tune_one_model(model));
    journals.emplace_back(model.output);
    worst = std::max(worst, status);
    if (status == ExitStatus::interrupted) break;
  }
  WATTUNE_TRY(write_report_of(journals, options));
  return worst;
}

// Rejects options that are only for kernels that run together.
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
  WATTUNE_TRY(check_report_file(options));
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
      "  wattune tune gemm.toml --method advised --others copy.journal.jsonl fft.journal.jsonl sort.journal.jsonl\n"
      "  wattune tune gemm.toml --device cuda:all\n"
      "  wattune tune --together lud.toml hotspot.toml --evaluations 50\n"
      "  wattune tune gemm.toml --partner memory\n"
      "  wattune tune --device replay:gemm.cache.json.xz --time 10m");
  return {app, [options] { return run_tune(*options); }};
}

}  // namespace wattune::cli
