// `wattune compile`: compiles a CUDA kernel without a GPU and reports the resources that it takes.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>

#include "backend/interface/compile.h"
#include "backend/interface/compile_process.h"
#include "cli/inspect/space_report.h"
#include "cli/program/command.h"
#include "cli/program/json.h"
#include "cli/program/options.h"
#include "cli/program/spec_options.h"
#include "cli/program/terminal.h"
#include "cli/program/text.h"
#include "report/interface/text.h"
#include "tune/interface/argument_check.h"
#include "wattune/core/random.h"
#include "wattune/tune/evaluator.h"

namespace wattune::cli {

namespace {

constexpr char kArchitecture[] = "sm_90";

struct CompileOptions {
  SpecOptions spec;
  std::string architecture;  // architecture; if empty, that of the spec or kArchitecture
  std::string configuration;
  std::uint64_t sample = 0;
  std::uint64_t seed = 1;
  bool json = false;
};

// The result of compiling one function of one configuration.
struct Compiled {
  Configuration configuration;
  std::string function;
  Result<backend::CompileReport> report;
};

Result<std::vector<Configuration>> chosen_configurations(const space::SearchSpace& space,
                                                         const CompileOptions& options) {
  if (options.sample > 0 && !options.configuration.empty())
    return Error(ErrorCode::invalid_argument, "--sample and --configuration exclude each other");
  std::vector<Configuration> chosen;
  if (options.sample > 0) {
    Random random(options.seed);
    for (const ConfigurationId id : space.sample_stratified(options.sample, random))
      chosen.push_back(space.configuration(id));
  } else if (!options.configuration.empty()) {
    WATTUNE_ASSIGN(chosen.emplace_back(), named_configuration(space, options.configuration));
  } else {
    chosen.push_back(space.configuration(space.default_configuration()));
  }
  return chosen;
}

// Returns the architecture that the spec's options name, or the user's if they name none, or the default if the user
// gave none. Fails with invalid_argument if spec and user both name one.
Result<std::string> chosen_architecture(const KernelSpec& spec, const CompileOptions& options) {
  const std::optional<std::string> named = backend::named_architecture(spec.source);
  if (named && !options.architecture.empty())
    return Error(ErrorCode::invalid_argument, "the options of the kernel name an architecture, so --arch has no effect")
        .at({spec.file.string()})
        .about(*named)
        .hint("leave one of them out");
  return named.value_or(options.architecture.empty() ? kArchitecture : options.architecture);
}

template <typename T>
std::string cell(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "?";
}

std::vector<std::string> compiled_row(const Compiled& one) {
  const std::string what = one.configuration.to_string();
  if (!one.report) return {"-", "-", "-", "-", "-", one.function, what};
  const backend::KernelResources& takes = one.report->resources;
  return {cell(takes.registers),
          cell(takes.spill_bytes) + " B",
          cell(takes.private_bytes) + " B",
          cell(takes.static_local_bytes) + " B",
          cell(takes.binary_bytes) + " B",
          one.report->function,
          what};
}

// Returns the error's message, which is the compiler's, followed by the error's advice.
std::string words_of(const Error& error) {
  const std::string& words = error.message();
  if (error.advice().empty()) return words;
  return fmt::format("{}{}({})", words, words.ends_with('\n') ? "" : "\n", error.advice());
}

// Lists the messages of the failed configurations. A message that several configurations share appears once.
std::string failures_text(const std::vector<Compiled>& all) {
  std::vector<std::string> told;
  std::string text;
  for (const Compiled& one : all) {
    if (one.report || std::ranges::count(told, one.report.error().message()) > 0) continue;
    const std::string& message = told.emplace_back(one.report.error().message());
    const auto same = std::ranges::count_if(
        all, [&](const Compiled& other) { return !other.report && other.report.error().message() == message; });
    const std::string others = same > 1 ? fmt::format(" and {} more", same - 1) : "";
    text += fmt::format("{}{}:\n{}\n", one.configuration.to_string(), others, words_of(one.report.error()));
  }
  return text;
}

std::string compile_text(const KernelSpec& spec, const std::string& architecture, const std::vector<Compiled>& all) {
  auto table =
      report::TextTable::of_text({"registers", "spilled", "stack", "shared", "binary", "function", "configuration"});
  for (const Compiled& one : all) table.add_row(compiled_row(one));
  std::string logs = failures_text(all);
  if (all.size() == 1 && all.front().report) logs = all.front().report->log;
  const std::string text = fmt::format("{} for {}\n\n{}", spec.name, architecture, table.to_string());
  if (logs.empty()) return text;
  return text + "\n" + logs + (logs.ends_with('\n') ? "" : "\n");
}

Json compiled_json(const Compiled& one) {
  Json json = {{"configuration", cli::to_json(one.configuration)}, {"compiled", one.report.has_value()}};
  const backend::CompileReport report = one.report ? *one.report : backend::CompileReport();
  json["compiler"] = report.compiler;
  json["function"] = one.report ? report.function : one.function;
  json["symbol"] = report.symbol;
  json["image"] = one.report ? Json(std::string(to_string(report.kind))) : Json(nullptr);
  json["registers"] = json_or_null(report.resources.registers);
  json["spill_bytes"] = json_or_null(report.resources.spill_bytes);
  json["private_bytes"] = json_or_null(report.resources.private_bytes);
  json["static_local_bytes"] = json_or_null(report.resources.static_local_bytes);
  json["binary_bytes"] = json_or_null(report.resources.binary_bytes);
  json["log"] = one.report ? report.log : words_of(one.report.error());
  return json;
}

std::string compile_json(const KernelSpec& spec, const std::string& architecture, const std::vector<Compiled>& all) {
  Json json = {{"kernel", spec.name}, {"architecture", architecture}, {"configurations", Json::array()}};
  for (const Compiled& one : all) json["configurations"].push_back(compiled_json(one));
  return dump(json);
}

// True if the error would be the same with any other configuration.
bool is_hopeless(const Error& error) {
  return error.code() != ErrorCode::compile_failed && error.code() != ErrorCode::timeout;
}

bool is_about_arguments(const Error& error) {
  return error.code() == ErrorCode::mismatch || error.code() == ErrorCode::not_found;
}

Result<ExitStatus> run_compile(const CompileOptions& options) {
  WATTUNE_ASSIGN(KernelSpec spec, load_spec(options.spec, spec::SourcePolicy::kernel));
  WATTUNE_TRY(use_language(spec, {Language::cuda}));
  for (const std::string& doubt : spec::doubts(spec)) print_note(doubt);
  WATTUNE_ASSIGN(const space::SearchSpace space, space::SearchSpace::build(spec.parameters, spec.constraints));
  WATTUNE_ASSIGN(const std::vector<Configuration> configurations, chosen_configurations(space, options));
  WATTUNE_ASSIGN(const std::string architecture, chosen_architecture(spec, options));
  std::vector<Compiled> all;
  backend::CompileProcess process{backend::WorkerOptions()};
  bool any = false;
  for (const Configuration& configuration : configurations) {
    WATTUNE_ASSIGN(const std::vector<std::string> functions, tune::launched_functions(spec, configuration));
    for (const std::string& function : functions) {
      KernelSource source = spec.source;
      source.function = function;
      auto report = process.report(
          {source, tune::macros_of(spec.parameters, configuration), architecture, tune::Limits().compile});
      if (!report && is_hopeless(report.error())) return std::move(report).error();
      const auto fits = report ? tune::check_arguments(spec, configuration, function, *report) : Result<void>();
      if (!fits && is_about_arguments(fits.error())) return fits.error();
      if (!fits) report = fits.error();  // no launch of this configuration is possible, which is reported instead
      any |= report.has_value();
      all.push_back({configuration, function, std::move(report)});
    }
  }
  const bool printed = options.json ? print_document(compile_json(spec, architecture, all))
                                    : print_result(compile_text(spec, architecture, all));
  if (!printed) return ExitStatus::environment;
  return any ? ExitStatus::good : ExitStatus::nothing_correct;
}

}  // namespace

Command add_compile(CLI::App& program) {
  const auto options = std::make_shared<CompileOptions>();
  CLI::App* app =
      program.add_subcommand("compile", "Compile a CUDA kernel without a GPU, and show the resources that it takes");
  declare_spec_options(*app, options->spec, "The spec: TOML, or T1 JSON");
  add_parsed(*app, "--arch", options->architecture, parse_architecture, "sm_NN",
             "The GPU to compile for, by its architecture")
      ->default_str(kArchitecture);
  add_configuration(*app, "--configuration", options->configuration, "This configuration instead of the default one");
  add_parsed(*app, "--sample", options->sample, parse_count, "N", "This many configurations, spread evenly");
  add_parsed(*app, "--seed", options->seed, parse_count, "N", "Seed of the sample")->default_str("1");
  app->add_flag("--json", options->json, "Print one JSON document (docs/formats/json.md)");
  app->footer(
      "Examples:\n"
      "  wattune compile gemm.toml --arch sm_80\n"
      "  wattune compile gemm.toml --configuration MWG=128,NWG=128,KWG=32\n"
      "  wattune compile gemm.toml --sample 20 --json");
  return {app, [options] { return run_compile(*options); }};
}

}  // namespace wattune::cli
