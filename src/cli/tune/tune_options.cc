#include "cli/tune/tune_options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/program/options.h"
#include "cli/program/terminal.h"
#include "cli/program/text.h"
#include "core/cache_folder.h"
#include "wattune/search/method.h"
#include "wattune/search/strategy.h"

namespace wattune::cli {

namespace {

std::string strategy_choices() {
  std::string names;
  for (const search::StrategyInfo& info : search::strategies()) names += (names.empty() ? "" : "|") + info.name;
  return names;
}

std::string method_choices() {
  std::string names;
  for (const search::MethodInfo& info : search::methods()) names += (names.empty() ? "" : "|") + info.name;
  return names;
}

Result<Megahertz> parse_megahertz(std::string_view text) {
  WATTUNE_ASSIGN(const double clock, parse_number(text));
  if (clock > 0.0) return Megahertz(clock);
  return Error(ErrorCode::invalid_argument, "expected a clock above 0 MHz").about(std::string(text));
}

Choices<tune::CheckOutput> check_choices() {
  using enum tune::CheckOutput;
  return {{"every", every}, {"winners", winners}, {"never", never}};
}
Choices<tune::ObserveFor> observe_for_choices() {
  return {{"every", tune::ObserveFor::every}, {"winners", tune::ObserveFor::winners}};
}

void add_strategy_parameter(TuneOptions& options, const std::string& text) {
  const auto assignment = parse_assignment(text);
  if (!assignment) throw CLI::ValidationError("--strategy-option", assignment.error().to_string());
  const auto value = parse_number(assignment->second);
  if (!value) throw CLI::ValidationError("--strategy-option", value.error().to_string());
  options.session.strategy_parameters[assignment->first] = *value;
}

void declare_search(CLI::App& app, TuneOptions& options) {
  app.option_defaults()->group("Search");
  app.add_option("--strategy,-s", options.session.strategy,
                 "How to search; by default exhaustive where that fits, else auto")
      ->type_name(strategy_choices());
  app.add_option_function<std::vector<std::string>>(
         "--strategy-option",
         [&options](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) add_strategy_parameter(options, text);
         },
         "A parameter of the strategy; may be repeated (docs/search.md)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--warm-start", options.warm_start,
                 "Results of another device or problem size to start from (auto, bayesian_optimisation, profile); may "
                 "be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--method", options.session.method,
                 "Tune code and clocks for energy by a procedure in the place of a strategy; `wattune strategies` says "
                 "what each does")
      ->type_name(method_choices());
  app.add_option("--others", options.others,
                 "Recordings of three other kernels or more, at the same clocks of the same board, for the method "
                 "advised")
      ->type_name("FILE");
  add_parsed(app, "--base-clock", options.session.method_options.base_clock, parse_megahertz, "MHZ",
             "The clock at which the method energy-to-solution+clocks tunes the code; by default that of the default "
             "configuration");
  add_parsed(app, "--slowdown", options.slowdown, parse_percent, "PERCENT",
             "Count only configurations that are at most this much slower than the fastest. It goes with an objective "
             "other than the time, and with the method energy-under-slowdown, which has 10 by default");
  add_parsed(app, "--seed", options.session.seed, parse_count, "N", "Seed of the search")->default_str("1");
}

void declare_stop_rules(CLI::App& app, TuneOptions& options) {
  app.option_defaults()->group("Stopping (the first rule that is met counts)");
  search::StopRule& stop = options.session.stop;
  add_parsed(
      app, "--evaluations,-n", stop.evaluations, parse_positive_count, "N",
      "Stop after this many evaluations; configurations that exceed the device's limits are skipped and not counted");
  add_parsed(app, "--time,-t", stop.time, parse_positive_time, "TIME", "Stop after this time: 60s, 5m, 1h");
  add_parsed(app, "--fraction", stop.fraction, parse_share, "SHARE", "Stop after this share of the space: 0.05 or 5%");
  app.add_option_function<std::string>(
         "--target",
         [&stop](const std::string& text) {
           const auto time = parse_positive_time(text);
           if (!time) throw CLI::ValidationError("--target", time.error().to_string());
           stop.target = time->value();
         },
         "Stop when the best kernel time is at most this: 1.5ms")
      ->type_name("TIME");
  add_parsed(app, "--no-improvement", stop.no_improvement, parse_positive_count, "N",
             "Stop after this many evaluations without a better one");
}

void declare_run(CLI::App& app, TuneOptions& options) {
  app.option_defaults()->group("Kernel and device");
  declare_spec_options(app, options.spec, "The spec: TOML, or T1 JSON; a replay does without");
  app.get_option("SPEC")->required(false);
  app.add_option(
         "--device,-d", options.session.device,
         "auto, a selector, a backend, part of a device's name, or replay:FILE for recorded results; `tune` takes "
         "several: cuda:0,cuda:2 or cuda:all")
      ->type_name("DEVICE")
      ->capture_default_str();
  app.add_flag("--in-process", options.session.evaluation.where.in_process,
               "Run kernels in this process: a kernel that crashes ends the run");
  add_choice(app, "--check", options.session.evaluation.check, check_choices(),
             "Which configurations' outputs to compare");
  add_parsed(app, "--compile-limit", options.session.evaluation.limits.compile, parse_positive_time, "TIME",
             "Longest time to compile a configuration");
  add_parsed(app, "--run-limit", options.session.evaluation.limits.run, parse_positive_time, "TIME",
             "Longest time of one run: all launches of a configuration together");
  add_parsed(app, "--reference-limit", options.session.evaluation.limits.reference, parse_positive_time, "TIME",
             "Longest time to compile and call a C++ reference, or to run a reference kernel; by default that of the "
             "spec, else the time of the search, or 10m without one");
  add_parsed(app, "--memory-limit", options.session.evaluation.where.worker.memory_limit_bytes, parse_bytes, "SIZE",
             "Most memory of each process that compiles or runs kernels: 8GB; by default 3/4 of the machine's");
  app.add_option("--pass-env", options.session.evaluation.where.worker.environment,
                 "Variables of the environment that kernels, compilers and references see, too; by default those that "
                 "compilers and drivers need (docs/security.md)")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check([](const std::string& name) { return std::getenv(name.c_str()) ? "" : "no such variable: " + name; });
}

void declare_compiling(CLI::App& app, TuneOptions& options) {
  app.option_defaults()->group("Compiling ahead");
  add_parsed(app, "--compile-jobs", options.session.compile_processes, parse_count, "N",
             "Processes that compile ahead of the device; by default one per core, at most 16. With 0, the default if "
             "the device is a processor, the device's worker compiles");
  add_parsed(app, "--compile-ahead", options.session.compile_ahead, parse_count, "N",
             "Configurations to ask the strategy for in advance; by default four per process. For a strategy that "
             "learns later thereby, the default is one per process and one more");
  app.add_option("--compile-cache", options.compile_cache,
                 "Folder that keeps compiled code for later runs; by default wattune in the user's cache folder")
      ->type_name("DIR");
  add_parsed(app, "--compile-cache-size", options.compile_cache_size, parse_bytes, "SIZE",
             "Largest size of that folder; the code that was not used for longest is removed first")
      ->default_str("1GiB");
  app.add_flag("--no-compile-cache", options.no_compile_cache, "Neither keep nor use compiled code of other runs")
      ->excludes("--compile-cache");
}

void declare_final(CLI::App& app, TuneOptions& options) {
  app.option_defaults()->group("The best");
  add_parsed(app, "--finalists", options.session.shoot_out.finalists, parse_count, "N",
             "Largest number of configurations that run in turns with the default at the end; 0 for none")
      ->default_str(fmt::format("{}", options.session.shoot_out.finalists));
  add_choice(app, "--observe-for", options.session.evaluation.observe_for, observe_for_choices(),
             "Configurations whose power, energy and counters are measured: every correct one, or the best so far and "
             "the finalists");
  app.add_flag("--sanitize", options.sanitize, "Run the best once more under compute-sanitizer's memcheck (CUDA)");
}

// Adds --minimize or --maximize. CLI11 calls the callback for each such option, so that the order of both options is
// kept.
void add_objective_option(CLI::App& app, TuneOptions& options, const std::string& name, bool maximize,
                          const std::string& description) {
  app.add_option_function<std::string>(
         name,
         [&options, maximize](const std::string& text) {
           options.objectives.push_back({text, maximize});
         },
         description)
      ->type_name("METRIC")
      ->trigger_on_parse();
}

void declare_objectives(CLI::App& app, TuneOptions& options) {
  app.option_defaults()->group("Objectives");
  app.add_option_function<std::string>(
         "--metric",
         [&options](const std::string& text) {
           const auto assignment = parse_assignment(text);
           if (!assignment) throw CLI::ValidationError("--metric", assignment.error().to_string());
           options.metrics.push_back({assignment->first, {assignment->second, {"--metric"}}});
         },
         "A figure to compute from `time` (seconds), parameters and problem sizes; may be repeated")
      ->type_name("NAME=EXPRESSION")
      ->trigger_on_parse();
  add_objective_option(app, options, "--minimize", false,
                       "Instead of the time energy, power, edp, ed2p, another metric or an expression; repeated, the "
                       "first leads the search, and `wattune show` has the Pareto front");
  add_objective_option(app, options, "--maximize", true, "As --minimize, but maximised: operations_per_joule");
}

void declare_results(CLI::App& app, TuneOptions& options) {
  app.option_defaults()->group("Results");
  app.add_option("--output,-o", options.output,
                 "Journal to write; by default NAME.journal.jsonl here, after the spec's name or file")
      ->type_name("FILE");
  app.add_flag("--resume", options.resume, "Go on with an existing journal of the same run");
  app.add_flag(
      "--force-resume", options.force_resume,
      "Go on although kernel, device, cache mode or the like changed since; space and objectives must be the same");
  app.add_flag("--overwrite", options.overwrite, "Start anew; an existing journal is kept with ~ behind its name");
  app.add_option("--report", options.report,
                 "Also write one HTML file about the result at the end, as `wattune report` does")
      ->type_name("FILE.html");
  app.add_flag("--json", options.json, "Print the result as one JSON document (docs/formats/json.md)");
  app.add_flag("--quiet,-q", options.quiet, "No progress on standard error");
}

// Clears the line, which may show progress, and prints a note on a slow reference.
void note_slow_reference(std::string_view what, Nanoseconds elapsed, Nanoseconds limit) {
  print_note(fmt::format("{}{} has been at work for {:.0f} s, of {:g} s at most ({})",
                         stderr_is_terminal() ? "\r\x1b[K" : "", what, to_seconds(elapsed), to_seconds(limit),
                         what == "the reference" ? "--reference-limit" : "--run-limit"));
}

}  // namespace

void declare_evaluation_options(CLI::App& app, TuneOptions& options) {
  declare_run(app, options);
  declare_measuring_options(app, options);
}

void declare_tune_options(CLI::App& app, TuneOptions& options) {
  declare_run(app, options);
  app.add_flag("--mixed-devices", options.mixed_devices,
               "Tune each model among several devices apart, one after another, with a journal of its own");
  declare_compiling(app, options);
  declare_search(app, options);
  declare_together_options(app, options.together);
  declare_stop_rules(app, options);
  declare_measuring_options(app, options);
  declare_final(app, options);
  declare_objectives(app, options);
  declare_results(app, options);
}

Result<void> check_compiling(const TuneOptions& options) {
  constexpr std::uint64_t kMostJobs = 256;
  constexpr std::uint64_t kMostAhead = 4096;
  const auto invalid = [](std::string message) { return Error(ErrorCode::invalid_argument, std::move(message)); };
  if (tune::compile_processes(options.session) > kMostJobs)
    return invalid(fmt::format("--compile-jobs may be at most {}", kMostJobs));
  if (options.session.compile_ahead.value_or(0) > kMostAhead)
    return invalid(fmt::format("--compile-ahead may be at most {}", kMostAhead));
  if (!options.compile_cache.empty() && tune::compile_processes(options.session) == 0)
    return invalid("--compile-cache needs compile processes").hint("--compile-jobs 1 starts one");
  return {};
}

Result<std::shared_ptr<backend::ImageCache>> cache_of(const TuneOptions& options) {
  using Cache = std::shared_ptr<backend::ImageCache>;
  const bool named = !options.compile_cache.empty();
  const std::filesystem::path folder = named ? std::filesystem::path(options.compile_cache) : user_cache_folder();
  if (options.no_compile_cache || folder.empty()) return Cache();
  Result<Cache> cache = backend::ImageCache::open(folder, options.compile_cache_size);
  if (cache || (named && cache.error().code() != ErrorCode::invalid_argument)) return cache;
  if (cache.error().code() == ErrorCode::invalid_argument) print_note(cache.error().to_string());
  return Cache();
}

tune::SessionOptions session_options(const TuneOptions& options) {
  tune::SessionOptions session = options.session;
  tune::Limits& limits = session.evaluation.limits;
  limits.compile_floor = std::min(limits.compile_floor, limits.compile);
  limits.run_floor = std::min(limits.run_floor, limits.run);
  if (!options.quiet) session.evaluation.on_slow_reference = note_slow_reference;
  if (options.slowdown) session.method_options.slowdown = *options.slowdown;
  if (options.policy == Policy::repeated) session.policy = measure::make_repeated_runs;
  return session;
}

}  // namespace wattune::cli
