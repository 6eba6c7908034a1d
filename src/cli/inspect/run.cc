// `wattune run`: compiles, checks and times one configuration.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/inspect/space_report.h"
#include "cli/program/checked.h"
#include "cli/program/command.h"
#include "cli/program/json.h"
#include "cli/program/spec_options.h"
#include "cli/program/terminal.h"
#include "cli/tune/objectives.h"
#include "cli/tune/summary.h"
#include "cli/tune/tune_options.h"
#include "wattune/tune/session.h"

namespace wattune::cli {

namespace {

struct RunOptions {
  TuneOptions tune;
  std::string configuration;
  bool no_metrics = false;
};

Result<Configuration> configuration_to_run(const space::SearchSpace& space, const std::string& text) {
  if (!text.empty()) return named_configuration(space, text);
  if (const std::string note = default_note(space); !note.empty()) print_note(note);
  return space.configuration(space.default_configuration());
}

Result<std::string> the_only_device(const TuneOptions& options, const KernelSpec& spec) {
  const std::string& wanted = options.session.device;
  WATTUNE_ASSIGN(const auto devices, tune::find_devices_for(spec, wanted, options.session.evaluation.where));
  if (devices.size() == 1) return devices.front().selector;
  return Error(ErrorCode::invalid_argument,
               fmt::format("one device is needed, and this name stands for {}", devices.size()))
      .about(wanted);
}

Json run_json(const KernelSpec& spec, const DeviceInfo& device, const Trial& trial,
              const tune::Verification& verification) {
  const Observation& observation = trial.observation;
  Json json = observation.ok() ? to_json(trial) : Json{{"configuration", to_json(trial.configuration)}};
  json["kernel"] = spec.name;
  json["device"] = to_json(device);
  json["status"] = std::string(to_string(observation.status));
  json["message"] = observation.message;
  json["build_log"] = observation.build_log;
  json["checked_against"] = verification.by.empty() ? Json(nullptr) : Json(verification.by);
  json["not_compared"] = verification.left_out;
  return json;
}

Result<ExitStatus> run_one(const RunOptions& options) {
  tune::SessionOptions session = session_options(options.tune);
  WATTUNE_TRY(session.sampling.validate());
  WATTUNE_ASSIGN(KernelSpec spec, load_spec(options.tune.spec));
  if (session.clocks == tune::Clocks::current) {
    WATTUNE_ASSIGN(spec, tune::without_clocks(std::move(spec)));
  }
  if (options.no_metrics) {
    spec.metrics.clear();
    spec.objectives.clear();
  }
  session.evaluation.observe = metrics_to_observe(spec, options.tune);
  WATTUNE_TRY(add_objectives(options.tune, tune::observed_metrics(session.evaluation), spec));
  WATTUNE_ASSIGN(const space::SearchSpace space, space::SearchSpace::build(spec.parameters, spec.constraints));
  WATTUNE_ASSIGN(const Configuration configuration, configuration_to_run(space, options.configuration));
  WATTUNE_ASSIGN(const std::string selector, the_only_device(options.tune, spec));
  WATTUNE_ASSIGN(const auto device, tune::open_device(selector, session.evaluation.where));
  WATTUNE_TRY(use_language(spec, device->info().languages));
  for (const std::string& doubt : spec::doubts(spec)) print_note(doubt);
  const auto policy = session.policy(session.sampling);
  WATTUNE_ASSIGN(const auto evaluator, tune::make_evaluator(spec, space, *device, *policy, session.evaluation));
  Trial trial{.configuration = configuration, .observation = {}, .finished_at = {}};
  WATTUNE_ASSIGN(trial.observation, evaluator->evaluate(configuration));
  const tune::Verification verification = evaluator->verification();
  if (!options.tune.quiet) note_uncompared(verification);
  const bool printed = options.tune.json ? print_document(dump(run_json(spec, device->info(), trial, verification)))
                                         : print_result(trial_text(trial, {{"reference", verification.by}}));
  if (!printed) return ExitStatus::environment;
  return trial.observation.ok() ? ExitStatus::good : ExitStatus::nothing_correct;
}

}  // namespace

Command add_run(CLI::App& program) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* app = program.add_subcommand("run", "Compile, check and time one configuration of a kernel");
  declare_evaluation_options(*app, options->tune);
  app->get_option("SPEC")->required()->description("The spec: TOML, or T1 JSON");
  app->get_option("--device")->description("auto, a selector, a backend, or part of a device's name");
  app->option_defaults()->group("Configuration");
  add_configuration(*app, "--configuration", options->configuration, "This configuration instead of the default one");
  app->add_flag("--no-metrics", options->no_metrics,
                "Compute no metrics and no objective of the spec, which may need what is not observed");
  app->option_defaults()->group("Results");
  app->add_flag("--json", options->tune.json, "Print one JSON document (docs/formats/json.md)");
  app->footer(
      "Examples:\n"
      "  wattune run gemm.toml --configuration MWG=128,NWG=128,KWG=32\n"
      "  wattune run gemm.toml --observe power,energy --json\n"
      "  wattune run gemm.toml --observe dram_bandwidth,smsp__inst_executed.sum");
  return {app, [options] { return run_one(*options); }};
}

}  // namespace wattune::cli
