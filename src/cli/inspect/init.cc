#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/program/command.h"
#include "cli/program/terminal.h"
#include "cli/program/text.h"
#include "wattune/spec/spec.h"
#include "wattune/store/formats.h"

namespace wattune::cli {

namespace {

namespace fs = std::filesystem;

Error in_the_way(const fs::path& file) {
  return Error(ErrorCode::already_exists, "file exists").about(file.string()).hint("wattune init NAME.toml");
}

// True if a file or folder has this name. A link counts, even if its target does not exist.
bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(file, ignored));
}

// Writes the spec, and beside it the files that it names. Writes nothing if one of them exists.
Result<ExitStatus> run_init(const fs::path& file) {
  if (file.extension() != ".toml")
    return Error(ErrorCode::invalid_argument, "not a .toml file").about(file.string()).hint("wattune init NAME.toml");
  const std::string name = file.stem().string();
  const spec::Template start = spec::starting_point(name);
  WATTUNE_TRY(spec::parse_toml(start.spec, file, spec::SourcePolicy::optional));
  const std::vector<std::pair<fs::path, std::string_view>> files = {
      {file.parent_path() / (name + ".cl"), start.opencl_kernel},
      {file.parent_path() / (name + ".cu"), start.cuda_kernel},
      {file.parent_path() / (name + "_reference.cc"), start.reference},
      {file, start.spec}};
  const auto taken = std::find_if(files.rbegin(), files.rend(), [](const auto& each) { return is_there(each.first); });
  if (taken != files.rend()) return in_the_way(taken->first);
  std::string wrote;
  for (const auto& [path, text] : files) {
    WATTUNE_TRY(store::write_file(path, text, false));
    wrote += fmt::format("wrote  {}\n", path.string());
  }
  const bool printed = print_result(wrote + fmt::format("next   wattune tune {}\n", quoted_for_shell(file.string())));
  return printed ? ExitStatus::good : ExitStatus::environment;
}

}  // namespace

Command add_init(CLI::App& program) {
  const auto file = std::make_shared<std::string>("kernel.toml");
  CLI::App* app = program.add_subcommand("init", "Write a commented spec, its kernel and a reference to start from");
  app->add_option(
         "FILE", *file,
         "The spec to write, NAME.toml; beside it go the kernel, as NAME.cl and NAME.cu, and NAME_reference.cc")
      ->type_name("FILE")
      ->capture_default_str();
  app->footer(
      "Parameters are macros of the kernel, unless their role says that they are for the launch alone, or a clock or "
      "the\n"
      "power limit of the board. Nothing that exists is overwritten.\n\nExamples:\n  wattune init\n  wattune init "
      "transpose.toml");
  return {app, [file] { return run_init(*file); }};
}

}  // namespace wattune::cli
