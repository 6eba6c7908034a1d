#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "wattune/spec/spec.h"
#include "wattune/store/formats.h"

namespace wattune::cli {

namespace {

namespace fs = std::filesystem;

Error in_the_way(const fs::path& file) {
  return Error(ErrorCode::already_exists, "file exists").about(file.string()).hint("wattune init NAME.toml");
}

// Writes the spec and the kernel files that it names beside it, or nothing.
Result<ExitStatus> run_init(const fs::path& file) {
  if (file.extension() != ".toml") return Error(ErrorCode::invalid_argument, "not a .toml file").about(file.string());
  const spec::Template start = spec::starting_point(file.stem().string());
  const fs::path opencl = fs::path(file).replace_extension(".cl");
  const fs::path cuda = fs::path(file).replace_extension(".cu");
  WATTUNE_TRY(spec::parse_toml(start.spec, file, spec::SourcePolicy::optional));
  for (const fs::path& each : {file, opencl, cuda})
    if (fs::exists(each)) return in_the_way(each);
  WATTUNE_TRY(store::write_file(opencl, start.opencl_kernel, false));
  WATTUNE_TRY(store::write_file(cuda, start.cuda_kernel, false));
  WATTUNE_TRY(store::write_file(file, start.spec, false));
  const bool printed = print_result(fmt::format("wrote {}, {} and {}\nnext   wattune tune {}\n", file.string(),
                                                opencl.string(), cuda.string(), quoted_for_shell(file.string())));
  return printed ? ExitStatus::good : ExitStatus::environment;
}

}  // namespace

Command add_init(CLI::App& program) {
  const auto file = std::make_shared<std::string>("kernel.toml");
  CLI::App* app = program.add_subcommand("init", "Write a commented spec and its kernel to start from");
  app->add_option("FILE", *file, "The spec to write, NAME.toml; the kernel goes beside it as NAME.cl and NAME.cu")
      ->type_name("FILE")
      ->capture_default_str();
  app->footer("Nothing that exists is overwritten.\n\nExamples:\n  wattune init\n  wattune init transpose.toml");
  return {app, [file] { return run_init(*file); }};
}

}  // namespace wattune::cli
