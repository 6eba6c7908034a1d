#include <fmt/format.h>

#include "cli/command.h"
#include "cli/terminal.h"
#include "wattune/spec/spec.h"
#include "wattune/store/formats.h"

namespace wattune::cli {

namespace {

namespace fs = std::filesystem;

// Writes the spec and the kernel file that it names beside it, or neither.
Result<ExitStatus> run_init(const fs::path& file) {
  const spec::Template start = spec::starting_point();
  WATTUNE_ASSIGN(const KernelSpec spec, spec::parse_toml(start.spec, file, spec::SourcePolicy::optional));
  const fs::path kernel = spec.source.file;
  if (fs::exists(file)) {
    return Error(ErrorCode::already_exists, "file exists").about(file.string()).hint("wattune init NAME.toml");
  }
  WATTUNE_TRY(store::write_file(kernel, start.kernel, false));
  WATTUNE_TRY(store::write_file(file, start.spec, false));
  const bool printed = print_result(
      fmt::format("wrote {} and {}\nnext   wattune tune {}\n", file.string(), kernel.string(), file.string()));
  return printed ? ExitStatus::good : ExitStatus::environment;
}

}  // namespace

Command add_init(CLI::App& program) {
  const auto file = std::make_shared<std::string>("kernel.toml");
  CLI::App* app = program.add_subcommand("init", "Write a commented spec and its kernel to start from");
  app->add_option("FILE", *file, "The spec to write; the kernel goes beside it")
      ->type_name("FILE")
      ->capture_default_str();
  app->footer("Nothing that exists is overwritten.\n\nExamples:\n  wattune init\n  wattune init transpose.toml");
  return {app, [file] { return run_init(*file); }};
}

}  // namespace wattune::cli
