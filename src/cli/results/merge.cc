#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <iterator>

#include "cli/program/command.h"
#include "cli/program/terminal.h"
#include "cli/program/text.h"
#include "store/interface/merge.h"
#include "wattune/store/formats.h"
#include "wattune/store/journal.h"

namespace wattune::cli {

namespace {

struct MergeOptions {
  std::vector<std::string> files;
  std::string output;
  bool overwrite = false;
};

// Returns the file for the n-th merged record. The first is the output itself, and the others are "all-2.json" and so
// on.
std::filesystem::path numbered(const std::filesystem::path& output, std::size_t n) {
  if (n == 1) return output;
  const std::string name = output.filename().string();
  const std::size_t dot = std::min(name.find('.', 1), name.size());
  return output.parent_path() / fmt::format("{}-{}{}", name.substr(0, dot), n, name.substr(dot));
}

Result<void> write_journal(const ResultSet& results, const std::filesystem::path& file, bool overwrite) {
  if (overwrite && std::filesystem::exists(file)) WATTUNE_TRY(store::set_aside(file));
  WATTUNE_ASSIGN(const auto journal, store::Journal::open(file, results.info));
  for (const Trial& trial : results.trials) WATTUNE_TRY(journal->add(trial));
  return journal->check_intact();
}

Result<void> write_record(const ResultSet& results, const std::filesystem::path& file, bool overwrite) {
  if (file.extension() == ".jsonl") return write_journal(results, file, overwrite);
  return store::write_file(file, store::write_json(results), overwrite);
}

Result<ExitStatus> run_merge(const MergeOptions& options) {
  std::vector<store::NamedRecord> records;
  for (const std::string& file : options.files) {
    WATTUNE_ASSIGN(std::vector<store::NamedRecord> all, store::load_all_records(file));
    std::ranges::move(all, std::back_inserter(records));
  }
  const std::vector<store::MergedRecord> merged = store::merge(std::move(records));
  std::string text;
  for (std::size_t i = 0; i < merged.size(); ++i) {
    const store::MergedRecord& each = merged[i];
    const std::filesystem::path file = numbered(options.output, i + 1);
    WATTUNE_TRY(write_record(each.results, file, options.overwrite));
    text += fmt::format("wrote  {}: {} from {}\n", file.string(), counted(each.results.trials.size(), "configuration"),
                        fmt::join(each.sources, ", "));
    if (!each.apart.empty())
      print_note(fmt::format("{} is kept apart, as it differs in: {}", fmt::join(each.sources, ", "),
                             fmt::join(each.apart, "; ")));
  }
  return print_result(text) ? ExitStatus::good : ExitStatus::environment;
}

}  // namespace

Command add_merge(CLI::App& program) {
  const auto options = std::make_shared<MergeOptions>();
  CLI::App* app = program.add_subcommand("merge", "Put records of one kernel and device into one file");
  app->add_option("RESULT", options->files,
                  "Result files of any format that `wattune show` reads, also several written one behind the other")
      ->type_name("FILE")
      ->required();
  app->add_option(
         "--output,-o", options->output,
         "File to write: a journal if it ends in .jsonl, else Wattune's JSON; records of another kernel, device "
         "or identity go to FILE-2, FILE-3 and so on")
      ->type_name("FILE")
      ->required();
  app->add_flag("--overwrite", options->overwrite, "Replace an existing output file; a journal is kept beside it");
  app->footer(
      "Each configuration is written once, with its Trial of the last file that has it. Parameters get the values of "
      "all\n"
      "files.\n\n"
      "Examples:\n"
      "  wattune merge monday.journal.jsonl tuesday.journal.jsonl --output both.json\n"
      "  wattune merge cache.json run.journal.jsonl --output all.journal.jsonl");
  return {app, [options] { return run_merge(*options); }};
}

}  // namespace wattune::cli
