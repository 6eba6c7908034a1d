// `wattune tune`: the main job, top to bottom. Nothing is written before everything the user gave was checked.
#include <fmt/format.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/devices.h"
#include "cli/interrupt.h"
#include "cli/plan.h"
#include "cli/progress.h"
#include "cli/summary.h"
#include "cli/terminal.h"
#include "cli/tune_options.h"
#include "wattune/search/strategy.h"
#include "wattune/store/journal.h"
#include "wattune/tune/tuner.h"

namespace wattune::cli {

namespace {

namespace fs = std::filesystem;

fs::path journal_file(const TuneOptions& options, const KernelSpec& spec) {
  return options.output.empty() ? spec.name + ".journal.jsonl" : options.output;
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
  if (resume || options.overwrite || !has_contents(file)) return {};
  return Error(ErrorCode::already_exists, "results exist")
      .about(file.string())
      .hint("--resume goes on with them, --overwrite starts anew, --output names another file");
}

Result<std::unique_ptr<store::Journal>> open_journal(const fs::path& file, const RunInfo& info,
                                                     const TuneOptions& options) {
  if (options.overwrite && has_contents(file)) {
    std::error_code problem;
    fs::rename(file, file.string() + "~", problem);
    if (problem) {
      return Error(ErrorCode::io_error, "cannot move the old results away: " + problem.message()).about(file.string());
    }
  }
  const store::Resume resume = options.force_resume ? store::Resume::forced
                               : options.resume     ? store::Resume::checked
                                                    : store::Resume::no;
  return store::Journal::open(file, info, resume);
}

// For --quiet.
class SilentObserver : public tune::TuningObserver {
  void on_start(const search::Progress&, std::size_t) override {}
  void on_trial(const tune::TuningEvent&) override {}
};

ProgressOptions progress_options(const KernelSpec& spec, const Plan& plan, const space::SearchSpace& space) {
  return {.live = stderr_is_terminal(),
          .width = [] { return terminal_width(STDERR_FILENO); },
          .write = [](std::string_view bytes) { std::fwrite(bytes.data(), 1, bytes.size(), stderr); },
          .stop = plan.stop,
          .default_id = space.default_configuration(),
          .objective = tune::custom_objective(spec)};
}

// Everything of a run that must exist before the first evaluation, each made from the ones above it.
struct Run {
  KernelSpec spec;
  space::SearchSpace space;
  Plan plan;
  std::unique_ptr<search::Strategy> strategy;
};

// With the sizes that the user asked for. They are read along with the spec, which puts them into its constraints; the
// first reading knows their names.
// `run` is filled in place, since the strategy refers to the space in it.
Result<std::unique_ptr<Run>> prepare(const TuneOptions& options) {
  WATTUNE_ASSIGN(KernelSpec spec, load_spec(options.spec));
  WATTUNE_TRY(add_objectives(options, spec));
  WATTUNE_ASSIGN(space::SearchSpace space, space::SearchSpace::build(spec.parameters, spec.constraints));
  Plan plan = make_plan(spec, space, options.strategy, options.stop);
  auto run = std::make_unique<Run>(Run{std::move(spec), std::move(space), std::move(plan), nullptr});
  WATTUNE_ASSIGN(run->strategy, search::make_strategy(run->plan.strategy, run->space,
                                                      {.seed = options.seed,
                                                       .start = run->space.default_configuration(),
                                                       .parameters = options.strategy_parameters}));
  return run;
}

ExitStatus status_of(const tune::TuningResult& result, bool interrupted) {
  if (interrupted) return ExitStatus::interrupted;
  return result.best ? ExitStatus::good : ExitStatus::nothing_correct;
}

Result<tune::TuningResult> run_search(Run& run, tune::Evaluator& evaluator, store::Journal& journal,
                                      const TuneOptions& options, const std::atomic<bool>& cancel) {
  const tune::TuningOptions tuning{.stop = run.plan.stop,
                                   .cancel = &cancel,
                                   .shoot_out = {.finalists = options.finalists, .warm_up = options.measure.warm_up}};
  if (options.quiet) {
    SilentObserver silent;
    return tune::tune(run.space, *run.strategy, evaluator, journal, silent, journal.recovered(), tuning);
  }
  ProgressDisplay progress(progress_options(run.spec, run.plan, run.space), journal.recovered());
  auto result = tune::tune(run.space, *run.strategy, evaluator, journal, progress, journal.recovered(), tuning);
  progress.finish();
  return result;
}

// A journal without a single Trial would only be in the way of the next run.
Error ended_early(Error error, const fs::path& journal) {
  const auto written = store::read_journal(journal);
  if (written && written->trials.empty()) {
    std::error_code ignored;
    fs::remove(journal, ignored);
    return error;
  }
  return std::move(error).with_context(fmt::format("the run ended early, results so far are in {}", journal.string()));
}

Result<ExitStatus> run_tune(const TuneOptions& options) {
  WATTUNE_TRY(options.stop.validate());
  WATTUNE_TRY(options.measure.validate());
  WATTUNE_ASSIGN(const std::unique_ptr<Run> run, prepare(options));
  const fs::path file = journal_file(options, run->spec);
  WATTUNE_TRY(check_journal_file(file, options));

  WATTUNE_ASSIGN(const auto device, open_named_device(options.device, options.in_process, options.memory_limit));
  const auto policy = policy_of(options);
  const tune::EvaluatorOptions evaluation{.limits = limits_of(options), .check = options.check, .cache = options.cache};
  WATTUNE_ASSIGN(const auto evaluator, tune::make_evaluator(run->spec, run->space, *device, *policy, evaluation));

  const RunInfo info = tune::describe_run(run->spec, run->space, device->info());
  WATTUNE_ASSIGN(const auto journal, open_journal(file, info, options));
  if (!options.quiet) {
    print_note(fmt::format("{} on {} ({})", run->spec.name, info.device.name, info.device.selector));
    print_note(run->plan.explanation);
  }
  const InterruptGuard interrupt;
  auto result = run_search(*run, *evaluator, *journal, options, interrupt.requested());
  if (!result) return ended_early(std::move(result).error(), file);
  const Summary summary{*result, info, file, run->plan.strategy, options.seed, run->space.count()};
  const bool printed = print_result(options.json ? summary_json(summary) : summary_text(summary));
  return printed ? status_of(*result, interrupt.requested()) : ExitStatus::environment;
}

}  // namespace

Command add_tune(CLI::App& program) {
  const auto options = std::make_shared<TuneOptions>();
  CLI::App* app = program.add_subcommand("tune", "Search the configurations of a kernel for the fastest correct one");
  declare_tune_options(*app, *options);
  app->footer(
      "Each result is written to the journal before the next launch: a run that was stopped or killed goes on with\n"
      "--resume. The default configuration is measured first, for comparison. Ctrl-C ends the run with its results.\n\n"
      "Examples:\n"
      "  wattune tune vector_add.toml\n"
      "  wattune tune gemm.toml --time 10m --device \"RTX 4090\"\n"
      "  wattune tune gemm.toml --strategy random --evaluations 500 --seed 7 --json --quiet\n"
      "  wattune tune gemm.toml --problem-size m=2048 --problem-size n=2048 --output gemm-2048.journal.jsonl\n"
      "  wattune tune gemm.toml --resume --time 30m");
  return {app, [options] { return run_tune(*options); }};
}

}  // namespace wattune::cli
