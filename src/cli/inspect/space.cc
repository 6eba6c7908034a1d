#include <unistd.h>
#include <CLI/CLI.hpp>

#include "cli/inspect/space_report.h"
#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/program/spec_options.h"
#include "cli/program/terminal.h"
#include "cli/program/text.h"

namespace wattune::cli {

namespace {

struct SpaceOptions {
  SpecOptions spec;
  std::string explain;
  std::uint64_t sample = 3;
  std::uint64_t seed = 1;
  bool json = false;
};

Result<ExitStatus> run_space(const SpaceOptions& options) {
  WATTUNE_ASSIGN(const KernelSpec spec, load_spec(options.spec, spec::SourcePolicy::optional));
  WATTUNE_ASSIGN(const space::SearchSpace space, space::SearchSpace::build(spec.parameters, spec.constraints));
  for (const std::string& doubt : spec::doubts(spec)) print_note(doubt);
  SpaceReport report{.spec = spec, .space = space, .effects = {}, .sample = {}, .explanation = {}};
  if (!options.explain.empty()) {
    WATTUNE_ASSIGN(report.explanation, explain(space, options.explain));
  }
  Random random(options.seed);
  report.sample = space.sample_stratified(options.sample, random);
  report.effects = constraint_effects(spec);
  const bool printed = options.json ? print_document(space_json(report))
                                    : print_result(space_text(report, terminal_width(STDOUT_FILENO)));
  return printed ? ExitStatus::good : ExitStatus::environment;
}

}  // namespace

Command add_space(CLI::App& program) {
  const auto options = std::make_shared<SpaceOptions>();
  CLI::App* app = program.add_subcommand("space", "Count the valid configurations of a spec, and explain invalid ones");
  declare_spec_options(*app, options->spec, "The spec: TOML, or T1 JSON; its kernel file need not exist");
  add_configuration(*app, "--explain", options->explain, "Say which constraints this configuration breaks");
  add_parsed(*app, "--sample", options->sample, parse_count, "N", "How many configurations to show, spread evenly")
      ->default_str("3");
  add_parsed(*app, "--seed", options->seed, parse_count, "N", "Seed of the sample")->default_str("1");
  app->add_flag("--json", options->json, "Print one JSON document (docs/formats/json.md)");
  app->footer(
      "Examples:\n"
      "  wattune space gemm.toml\n"
      "  wattune space gemm.json --sample 10\n"
      "  wattune space gemm.toml --explain MWG=128,NWG=16");
  return {app, [options] { return run_space(*options); }};
}

}  // namespace wattune::cli
