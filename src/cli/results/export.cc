#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <map>

#include "cli/program/command.h"
#include "cli/program/terminal.h"
#include "core/interface/suggest.h"
#include "wattune/dynamic/wisdom.h"
#include "wattune/report/report.h"
#include "wattune/spec/spec.h"
#include "wattune/store/formats.h"

namespace wattune::cli {

namespace {

struct ExportOptions {
  std::vector<std::string> files;
  std::string format;
  std::string spec;
  std::string output;
  bool overwrite = false;
};

using Export = std::function<Result<ExitStatus>(const std::vector<ResultSet>&, const ExportOptions&)>;
struct Format {
  Export write;
  bool takes_several = false;
};

Result<ExitStatus> write_text(const std::string& text, const ExportOptions& options) {
  if (options.output.empty()) return print_document(text) ? ExitStatus::good : ExitStatus::environment;
  WATTUNE_TRY(store::write_file(options.output, text, options.overwrite));
  return ExitStatus::good;
}

template <typename Text>
Format of_one(Text (*write)(const ResultSet&)) {
  return {[write](const std::vector<ResultSet>& results, const ExportOptions& options) -> Result<ExitStatus> {
    WATTUNE_ASSIGN(const std::string text, Result<std::string>(write(results.front())));
    return write_text(text, options);
  }};
}

Format of_several(Result<std::string> (*write)(const std::vector<ResultSet>&, const ExportOptions&)) {
  return {[write](const std::vector<ResultSet>& results, const ExportOptions& options) -> Result<ExitStatus> {
            WATTUNE_ASSIGN(const std::string text, write(results, options));
            return write_text(text, options);
          },
          true};
}

Result<ExitStatus> add_to_database(const std::vector<ResultSet>& results, const ExportOptions& options) {
  if (options.output.empty())
    return Error(ErrorCode::invalid_argument, "format sqlite needs the database's name").hint("add --output FILE");
  WATTUNE_TRY(store::add_to_database(options.output, results));
  return ExitStatus::good;
}

Result<std::string> header_of(const std::vector<ResultSet>& results, const ExportOptions&) {
  return report::write_header(results);
}

// Writes the results as wisdom. The spec identifies the kernel, since files of other programs do not say enough about
// it.
Result<std::string> wisdom_of(const std::vector<ResultSet>& results, const ExportOptions& options) {
  if (options.spec.empty())
    return Error(ErrorCode::invalid_argument, "format wisdom needs the kernel's spec").hint("add --spec FILE");
  WATTUNE_ASSIGN(const KernelSpec spec, spec::load(options.spec));
  std::vector<dynamic::WisdomEntry> entries;
  for (const ResultSet& each : results) {
    WATTUNE_ASSIGN(const std::vector<dynamic::WisdomEntry> best, dynamic::entries_from(each, spec));
    entries.insert(entries.end(), best.begin(), best.end());
  }
  if (entries.empty()) return Error(ErrorCode::not_found, "no configuration is correct");
  return dynamic::write_wisdom(entries);
}

const std::map<std::string, Format>& formats() {
  static const std::map<std::string, Format> map = {
      {"csv", of_one(store::write_csv)},
      {"header", of_several(header_of)},
      {"json", of_one(store::write_json)},
      {"t4", of_one(store::write_t4)},
      {"kernel-tuner", of_one(store::write_kernel_tuner_cache)},
      {"sqlite", {add_to_database, true}},
      {"wisdom", of_several(wisdom_of)},
  };
  return map;
}

std::string format_choices() {
  std::string choices;
  for (const auto& [name, each] : formats()) choices += (choices.empty() ? "" : "|") + name;
  return choices;
}

Result<const Format*> find_format(const std::string& format) {
  if (const auto found = formats().find(format); found != formats().end()) return &found->second;
  std::vector<std::string> names;
  for (const auto& [name, each] : formats()) names.push_back(name);
  return Error(ErrorCode::invalid_argument, "unknown format").about(format).hint(suggest(format, names));
}

// Adds the results of a file. A wisdom file gives one Trial for each entry, which is enough for a header.
Result<void> add_results(const std::string& file, const std::string& format, std::vector<ResultSet>& results) {
  if (!dynamic::is_wisdom_file(file)) {
    WATTUNE_ASSIGN(ResultSet set, store::load_results(file));
    results.push_back(std::move(set));
    return {};
  }
  if (format != "header")
    return Error(ErrorCode::invalid_argument, fmt::format("format {} is not made from wisdom", format)).about(file);
  WATTUNE_ASSIGN(const dynamic::WisdomText wisdom, dynamic::load_wisdom(file));
  for (const Error& problem : wisdom.problems) print_note(problem.to_string());
  std::ranges::move(dynamic::results_from(wisdom.entries), std::back_inserter(results));
  return {};
}

Result<ExitStatus> run_export(const ExportOptions& options) {
  WATTUNE_ASSIGN(const Format* format, find_format(options.format));
  if (options.files.size() > 1 && !format->takes_several) {
    return Error(ErrorCode::invalid_argument, fmt::format("format {} takes one result file", options.format))
        .about(options.files[1]);
  }
  std::vector<ResultSet> results;
  for (const std::string& file : options.files) WATTUNE_TRY(add_results(file, options.format, results));
  return format->write(results, options);
}

}  // namespace

Command add_export(CLI::App& program) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* app = program.add_subcommand(
      "export", "Write results as a C header, wisdom, a database, JSON, a table, T4 or Kernel Tuner's cache");
  app->add_option("RESULT", options->files,
                  "Result files: journals, JSON, T4, Kernel Tuner caches, KTT's JSON or CSV tables with their mapping; "
                  "several for a header, wisdom or a database; for a header also wisdom; a run of a "
                  "database is FILE#RUN")
      ->type_name("FILE")
      ->required();
  app->add_option("--format,-f", options->format, "What to write")->type_name(format_choices())->required();
  app->add_option("--spec", options->spec, "For wisdom: the spec of the kernel that was tuned")->type_name("FILE");
  app->add_option("--output,-o", options->output,
                  "Write to a file instead of standard output; to a database the runs are added")
      ->type_name("FILE");
  app->add_flag("--overwrite", options->overwrite, "Replace an existing output file");
  app->footer(
      "The header holds the best configuration as #defines, one set per device and problem size. Wisdom is what an\n"
      "application with kernels that tune themselves starts from (docs/formats/wisdom.md).\n\n"
      "Examples:\n"
      "  wattune export gemm.journal.jsonl --format header --output gemm_tuned.h\n"
      "  wattune export gpu1.journal.jsonl gpu2.journal.jsonl --format header\n"
      "  wattune export small.journal.jsonl large.journal.jsonl --format header\n"
      "  wattune export small.journal.jsonl large.journal.jsonl --format wisdom --spec gemm.toml > app.wisdom\n"
      "  wattune export gemm.journal.jsonl --format t4 > gemm.t4.json");
  return {app, [options] { return run_export(*options); }};
}

}  // namespace wattune::cli
