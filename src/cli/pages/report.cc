// `wattune report`: one HTML file about results, for anybody to open.
#include <CLI/CLI.hpp>

#include "cli/pages/report_file.h"
#include "cli/program/command.h"
#include "cli/program/output_file.h"

namespace wattune::cli {

namespace {

struct ReportOptions {
  std::vector<std::string> files;
  std::string output;
  bool overwrite = false;
};

Result<ExitStatus> run_report(const ReportOptions& options) {
  WATTUNE_TRY(check_new_file(options.output, options.overwrite));
  WATTUNE_TRY(write_report(options.files, options.output, options.overwrite));
  return ExitStatus::good;
}

}  // namespace

Command add_report(CLI::App& program) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* app = program.add_subcommand("report", "Write one HTML file about results, which needs no network");
  app->add_option(
         "RUN", options->files,
         "Files as `wattune show` takes them, and documents of `analyze --methods`, `corun` and `score`; several stand "
         "side by side")
      ->type_name("FILE")
      ->required();
  app->add_option("--output,-o", options->output, "The file to write")->type_name("FILE.html")->required();
  app->add_flag("--overwrite", options->overwrite, "Replace an existing file");
  app->footer(
      "The page tells what won, how sure that is, and what to do next. A browser shows it without network.\n\n"
      "Examples:\n"
      "  wattune report gemm.journal.jsonl --output gemm.html\n"
      "  wattune report a100.json.xz h200.journal.jsonl --output both.html");
  return {app, [options] { return run_report(*options); }};
}

}  // namespace wattune::cli
