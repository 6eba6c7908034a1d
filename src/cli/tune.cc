// `wattune tune`: the main job, top to bottom. Nothing is written before everything the user gave was checked.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/devices.h"
#include "cli/interrupt.h"
#include "cli/plan.h"
#include "cli/progress.h"
#include "cli/replay.h"
#include "cli/sanitize.h"
#include "cli/space_report.h"
#include "cli/summary.h"
#include "cli/target.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "cli/tune_options.h"
#include "wattune/search/strategy.h"
#include "wattune/store/formats.h"
#include "wattune/store/journal.h"
#include "wattune/tune/describe_run.h"
#include "wattune/tune/replay.h"
#include "wattune/tune/tuner.h"

namespace wattune::cli {

namespace {

namespace fs = std::filesystem;

fs::path journal_file(const TuneOptions& options, const KernelSpec& spec) {
  if (!options.output.empty()) return options.output;
  return spec.name + (replayed_file(options.device) ? ".replay.journal.jsonl" : ".journal.jsonl");
}

bool has_contents(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored) && (!fs::is_regular_file(file, ignored) || fs::file_size(file, ignored) > 0);
}

// Refuses early what Journal::open() would refuse only after the device was opened and the reference computed.
Result<void> check_journal_file(const fs::path& file, const TuneOptions& options) {
  const bool resume = options.resume || options.force_resume;
  if (resume && options.overwrite) {
    return Error(ErrorCode::invalid_argument, "--overwrite and --resume exclude each other");
  }
  std::error_code ignored;
  if (fs::is_directory(file, ignored))
    return Error(ErrorCode::invalid_argument, "results cannot be written into a folder")
        .about(file.string())
        .hint("--output names a file");
  if (resume || options.overwrite || !has_contents(file)) return {};
  return Error(ErrorCode::already_exists, "results exist")
      .about(file.string())
      .hint("--resume goes on with them, --overwrite starts anew, --output names another file");
}

Result<std::unique_ptr<store::Journal>> open_journal(const fs::path& file, const RunInfo& info,
                                                     const space::SearchSpace& space, const TuneOptions& options) {
  if (options.overwrite && has_contents(file)) WATTUNE_TRY(store::set_aside(file));
  const store::Resume resume = options.force_resume ? store::Resume::forced
                               : options.resume     ? store::Resume::checked
                                                    : store::Resume::no;
  const auto belongs = [&space](const Configuration& configuration) {
    return configuration.id() < space.count() && space.configuration(configuration.id()) == configuration;
  };
  WATTUNE_ASSIGN(auto journal, store::Journal::open(file, info, resume, belongs));
  if (const std::string& doubt = journal->lock_doubt(); !options.quiet && !doubt.empty())
    print_note(fmt::format("{}: {}", file.string(), doubt));
  return journal;
}

// For --quiet.
class SilentObserver : public tune::TuningObserver {
  void on_start(const search::Progress&, std::size_t) override {}
  void on_trial(const tune::TuningEvent&) override {}
};

ProgressOptions progress_options(const TuneOptions& options, const KernelSpec& spec, const Plan& plan,
                                 const space::SearchSpace& space) {
  return {.live = stderr_is_terminal(),
          .width = [] { return terminal_width(STDERR_FILENO); },
          .write = [](std::string_view bytes) { std::fwrite(bytes.data(), 1, bytes.size(), stderr); },
          .verbose = options.verbose,
          .stop = plan.stop,
          .default_id = space.default_configuration(),
          .objective = tune::custom_objective(spec)};
}

using Recorded = std::optional<ResultSet>;

Result<Recorded> load_recorded(const TuneOptions& options) {
  const auto file = replayed_file(options.device);
  if (!file) return Recorded();
  if (!options.observe.empty() || !options.counters.empty())
    return Error(ErrorCode::invalid_argument, "--observe is for devices: a replay has what was recorded");
  WATTUNE_ASSIGN(ResultSet results, store::load_results(*file));
  return Recorded(std::move(results));
}

// A replay needs no kernel, and no spec either: what was recorded is a space of its own.
Result<KernelSpec> load_problem(const TuneOptions& options, const Recorded& recorded) {
  if (!options.spec.file.empty())
    return load_spec(options.spec, recorded ? spec::SourcePolicy::optional : spec::SourcePolicy::required);
  if (!options.spec.problem_size.empty())
    return Error(ErrorCode::invalid_argument, "--problem-size needs SPEC").about(options.spec.problem_size.front());
  if (recorded) return recorded_spec(recorded->info);
  return Error(ErrorCode::invalid_argument, "SPEC is required").hint("see `wattune tune --help`");
}

// Beside the time and what a kernel takes.
std::vector<std::string> observed_metrics(const TuneOptions& options, const Recorded& recorded) {
  return recorded ? tune::recorded_metrics(recorded->trials) : tune::observed_metrics(evaluator_options(options));
}

// Everything of a run that must exist before the first evaluation, each made from the ones above it.
struct Run {
  KernelSpec spec;
  space::SearchSpace space;
  Plan plan;
  std::unique_ptr<search::Strategy> strategy;
};

// Whose words an error of the strategy is about.
std::string origin_of_strategy(const TuneOptions& options, const Run& run) {
  if (!options.strategy.empty()) return "--strategy";
  if (!run.spec.strategy.empty()) return run.spec.file.string();
  return fmt::format("without --strategy it is {}", run.plan.strategy);
}

// `run` is filled in place, since the strategy refers to the space in it.
Result<std::unique_ptr<Run>> prepare(const TuneOptions& options, const Recorded& recorded) {
  WATTUNE_ASSIGN(KernelSpec spec, load_problem(options, recorded));
  WATTUNE_TRY(add_objectives(options, observed_metrics(options, recorded), spec));
  WATTUNE_ASSIGN(space::SearchSpace space, options.spec.file.empty()
                                               ? tune::recorded_space(*recorded)
                                               : space::SearchSpace::build(spec.parameters, spec.constraints));
  Plan plan = make_plan(spec, space, options.strategy, options.stop);
  auto run = std::make_unique<Run>(Run{std::move(spec), std::move(space), std::move(plan), nullptr});
  WATTUNE_ASSIGN(auto priors, load_priors(options.warm_start, run->spec, run->space));
  auto strategy = search::make_strategy(run->plan.strategy, run->space,
                                        {.seed = options.seed,
                                         .start = run->space.default_configuration(),
                                         .objectives = run->spec.objectives,
                                         .prior = std::move(priors),
                                         .parameters = options.strategy_parameters});
  if (!strategy) return std::move(strategy).error().with_context(origin_of_strategy(options, *run));
  run->strategy = *std::move(strategy);
  return run;
}

// Empty unless it is asked for.
Result<fs::path> sanitizer_of(const TuneOptions& options) {
  if (options.sanitize) return find_compute_sanitizer();
  return fs::path();
}

Result<void> check_sanitizable(const TuneOptions& options, const DeviceInfo& device) {
  if (!options.sanitize || (compiles(device, Language::cuda) && device.kind != DeviceKind::simulated)) return {};
  return Error(ErrorCode::invalid_argument, "--sanitize is for CUDA devices").about(device.selector);
}

Result<std::optional<Sanitized>> sanitize_best(const fs::path& sanitizer, const TuneOptions& options, const Run& run,
                                               const tune::TuningResult& result, const DeviceInfo& device) {
  if (sanitizer.empty() || !result.best) return std::optional<Sanitized>();
  if (!options.quiet) print_note("the best runs once more under compute-sanitizer");
  auto found = sanitize(sanitizer, options.spec.file, run.spec, result.best->configuration, device.selector);
  if (!found) return std::move(found).error().with_context("--sanitize");
  return std::optional(*std::move(found));
}

ExitStatus status_of(const tune::TuningResult& result, const std::optional<Sanitized>& sanitized, bool interrupted) {
  if (interrupted) return ExitStatus::interrupted;
  if (sanitized && sanitized->errors > 0) return ExitStatus::nothing_correct;
  return result.best ? ExitStatus::good : ExitStatus::nothing_correct;
}

// As far as there are compilers to work ahead, unless the user says how far.
std::size_t proposals_ahead(const TuneOptions& options, const std::string& strategy, bool compilers) {
  const search::StrategyInfo* info = search::find_strategy(strategy);
  const bool hurt = info != nullptr && info->hurt_by_asking_ahead;
  const std::size_t processes = compile_jobs_of(options);
  const std::size_t standard = !compilers ? 1 : hurt ? processes + 1 : 4 * processes;
  return std::max<std::size_t>(1, options.compile_ahead.value_or(standard));
}

Result<tune::TuningResult> run_search(Run& run, const Target& target, store::Journal& journal,
                                      const TuneOptions& options, const std::atomic<bool>& cancel) {
  const std::vector<tune::Evaluator*> evaluators = target.evaluators();
  const tune::TuningOptions tuning{.stop = run.plan.stop,
                                   .ahead = proposals_ahead(options, run.plan.strategy, target.compilers != nullptr),
                                   .cancel = &cancel,
                                   .shoot_out = {.finalists = options.finalists, .warm_up = options.measure.warm_up}};
  if (options.quiet) {
    SilentObserver silent;
    return tune::tune(run.space, *run.strategy, evaluators, journal, silent, journal.recovered(), tuning);
  }
  ProgressDisplay progress(progress_options(options, run.spec, run.plan, run.space), journal.recovered());
  auto result = tune::tune(run.space, *run.strategy, evaluators, journal, progress, journal.recovered(), tuning);
  progress.finish();
  return result;
}

// What identifies the measurements beside the spec and the device. A replay's are those of the recorded file.
Identity measuring_identity(const TuneOptions& options) {
  if (const auto file = replayed_file(options.device)) return recording_identity(*file);
  return tune::measuring_identity(evaluator_options(options), *policy_of(options));
}

// A journal without a single Trial would only be in the way of the next run.
Error ended_early(Error error, store::Journal& journal, const fs::path& file) {
  if (journal.file() != file) return std::move(error).with_context("the run ended early");
  const bool intact = journal.check_intact().has_value();
  const auto written = store::read_journal(journal.file());
  if (intact && written && written->trials.empty()) {
    std::error_code ignored;
    fs::remove(journal.file(), ignored);
    return error;
  }
  return std::move(error).with_context(
      fmt::format("the run ended early, results so far are in {}", journal.file().string()));
}

Result<ExitStatus> tune_one_model(const TuneOptions& options) {
  WATTUNE_ASSIGN(Recorded recorded, load_recorded(options));
  WATTUNE_ASSIGN(const std::unique_ptr<Run> run, prepare(options, recorded));
  const fs::path file = journal_file(options, run->spec);
  WATTUNE_TRY(check_journal_file(file, options));

  WATTUNE_ASSIGN(const fs::path sanitizer, sanitizer_of(options));
  WATTUNE_ASSIGN(const Target target, recorded ? open_recording(options, run->spec, run->space, *std::move(recorded))
                                               : open_devices(options, run->plan.strategy, run->spec, run->space));
  WATTUNE_TRY(check_sanitizable(options, target.devices.front()));
  const RunInfo info = tune::describe_run(run->spec, run->space, target.devices.front(), measuring_identity(options));
  const StopRequest stop;
  WATTUNE_ASSIGN(const auto journal, open_journal(file, info, run->space, options));
  if (!options.quiet) {
    print_note(fmt::format("{} on {}", run->spec.name, describe(target.devices)));
    print_note(run->plan.explanation);
    if (const std::string note = default_note(run->space); !note.empty()) print_note(note);
  }
  auto result = run_search(*run, target, *journal, options, stop.made());
  if (result && stop.made() && result->evaluated + result->resumed == 0)
    result = Error(ErrorCode::cancelled, "interrupted before the first evaluation");
  if (!result) return ended_early(std::move(result).error(), *journal, file);
  if (const std::string remark = run->strategy->remark(); !options.quiet && !remark.empty()) print_note(remark);
  const auto sanitized = sanitize_best(sanitizer, options, *run, *result, info.device);
  const Result<void> intact = journal->check_intact();
  const Summary summary{*result,
                        info,
                        journal->file(),
                        why_unverified(run->spec, options.check),
                        run->plan.strategy,
                        options.seed,
                        run->space.count(),
                        sanitized ? *sanitized : std::nullopt};
  const bool printed = options.json ? print_document(summary_json(summary)) : print_result(summary_text(summary));
  if (!intact) return intact.error();
  if (!sanitized) return sanitized.error();
  return printed ? status_of(*result, *sanitized, stop.made()) : ExitStatus::environment;
}

// One model after another, once it is clear that no results are in the way. The status is that of the worst.
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

Result<ExitStatus> run_tune(const TuneOptions& options) {
  WATTUNE_TRY(options.stop.validate());
  WATTUNE_TRY(options.measure.validate());
  WATTUNE_TRY(check_compiling(options));
  const bool apart = options.mixed_devices && !replayed_file(options.device);
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
      "  wattune tune --device replay:gemm.cache.json.xz --time 10m");
  return {app, [options] { return run_tune(*options); }};
}

}  // namespace wattune::cli
