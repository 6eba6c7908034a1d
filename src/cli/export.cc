#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <map>

#include "cli/command.h"
#include "cli/terminal.h"
#include "wattune/core/suggest.h"
#include "wattune/report/report.h"
#include "wattune/store/formats.h"

namespace wattune::cli {

namespace {

struct ExportOptions {
  std::vector<std::string> files;
  std::string format;
  std::string output;
  bool overwrite = false;
};

// What turns results into text; only the header holds several.
using Writer = std::function<Result<std::string>(const std::vector<ResultSet>&)>;

template <typename Text>
Writer of_one(Text (*write)(const ResultSet&)) {
  return [write](const std::vector<ResultSet>& results) -> Result<std::string> { return write(results.front()); };
}

const std::map<std::string, Writer>& writers() {
  static const std::map<std::string, Writer> map = {
      {"csv", of_one(store::write_csv)},
      {"header", report::write_header},
      {"json", of_one(store::write_json)},
      {"t4", of_one(store::write_t4)},
      {"kernel-tuner", of_one(store::write_kernel_tuner_cache)},
  };
  return map;
}

std::string format_choices() {
  std::string choices;
  for (const auto& [name, writer] : writers()) choices += (choices.empty() ? "" : "|") + name;
  return choices;
}

Result<const Writer*> find_writer(const std::string& format) {
  if (const auto found = writers().find(format); found != writers().end()) return &found->second;
  std::vector<std::string> names;
  for (const auto& [name, writer] : writers()) names.push_back(name);
  return Error(ErrorCode::invalid_argument, "unknown format").about(format).hint(suggest(format, names));
}

Result<ExitStatus> run_export(const ExportOptions& options) {
  WATTUNE_ASSIGN(const Writer* write, find_writer(options.format));
  if (options.files.size() > 1 && options.format != "header") {
    return Error(ErrorCode::invalid_argument, fmt::format("format {} takes one result file", options.format))
        .about(options.files[1]);
  }
  std::vector<ResultSet> results;
  for (const std::string& file : options.files) {
    WATTUNE_ASSIGN(ResultSet set, store::load_results(file));
    results.push_back(std::move(set));
  }
  WATTUNE_ASSIGN(const std::string text, (*write)(results));
  if (!options.output.empty()) {
    WATTUNE_TRY(store::write_file(options.output, text, options.overwrite));
    return ExitStatus::good;
  }
  return print_document(text) ? ExitStatus::good : ExitStatus::environment;
}

}  // namespace

Command add_export(CLI::App& program) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* app =
      program.add_subcommand("export", "Write results as a C header, JSON, a table, T4 or Kernel Tuner's cache");
  app->add_option("RESULT", options->files,
                  "Result files: journals, JSON, T4, Kernel Tuner caches, KTT's JSON or CSV tables with their mapping; "
                  "several for a header")
      ->type_name("FILE")
      ->required();
  app->add_option("--format,-f", options->format, "What to write")->type_name(format_choices())->required();
  app->add_option("--output,-o", options->output, "Write to a file instead of standard output")->type_name("FILE");
  app->add_flag("--overwrite", options->overwrite, "Replace an existing output file");
  app->footer(
      "The header holds the best configuration as #defines, one set per device and problem size.\n\n"
      "Examples:\n"
      "  wattune export gemm.journal.jsonl --format header --output gemm_tuned.h\n"
      "  wattune export gpu1.journal.jsonl gpu2.journal.jsonl --format header\n"
      "  wattune export small.journal.jsonl large.journal.jsonl --format header\n"
      "  wattune export gemm.journal.jsonl --format t4 > gemm.t4.json");
  return {app, [options] { return run_export(*options); }};
}

}  // namespace wattune::cli
