// `wattune slice`: adds twins to kernels. A twin is a copy of a kernel that runs a part of the grid.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "backend/interface/compile_process.h"
#include "cli/inspect/slice_report.h"
#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/program/terminal.h"
#include "cli/program/text.h"
#include "core/interface/suggest.h"
#include "store/interface/files.h"
#include "store/interface/sealed_line.h"
#include "wattune/store/formats.h"
#include "wattune/tune/evaluator.h"

namespace wattune::cli {

namespace {

struct SliceOptions {
  std::string file;
  std::vector<std::string> forms = {"add", "linear", "guard", "persistent"};
  std::string architecture;  // architecture; if empty, the text's own is used
  std::string output;
  bool overwrite = false;
  bool json = false;
};

Result<std::vector<slice::TwinForm>> chosen_forms(const std::vector<std::string>& names) {
  std::vector<slice::TwinForm> forms;
  for (const std::string& name : names) {
    const auto form = slice::twin_form(name);
    if (!form)
      return Error(ErrorCode::invalid_argument, "unknown form")
          .about(name)
          .hint(suggest(name, {"add", "linear", "guard", "persistent"}));
    forms.push_back(*form);
  }
  return forms;
}

std::string architecture_of(const slice::PtxTree& tree, const SliceOptions& options) {
  if (!options.architecture.empty()) return options.architecture;
  return tree.target.empty() ? "sm_90" : std::string(tree.target.front());
}

// Assembles the twins. If there is no assembler, or if it rejects the text, prints a note and returns nullopt. The
// result of slicing is still valid then.
std::optional<backend::AssembledKernels> assembled(const std::string& text, const std::string& architecture) {
  backend::CompileProcess process{backend::WorkerOptions()};
  Result<backend::AssembledKernels> result = process.assemble({text, architecture, tune::Limits().compile});
  if (result) return *std::move(result);
  print_note(result.error().to_string());
  return std::nullopt;
}

Result<ExitStatus> run_slice(const SliceOptions& options) {
  WATTUNE_ASSIGN(const std::vector<slice::TwinForm> forms, chosen_forms(options.forms));
  WATTUNE_ASSIGN(std::string text, store::read_file(options.file));
  if (text.starts_with(store::LineReader::kByteOrderMark)) text.erase(0, store::LineReader::kByteOrderMark.size());
  WATTUNE_ASSIGN(const slice::PtxTree tree, slice::parse_ptx(std::move(text), options.file));
  WATTUNE_ASSIGN(const slice::TwinModule module, slice::add_twins(tree, forms));
  if (!options.output.empty()) WATTUNE_TRY(store::write_file(options.output, module.text, options.overwrite));
  const std::string architecture = architecture_of(tree, options);
  const auto resources = assembled(module.text, architecture);
  const std::vector<slice::KernelAnalysis> kernels = slice::analyse(tree);
  const SliceReport report{options.file, architecture, kernels, forms, module, resources};
  const bool printed = options.json ? print_document(slice_json(report)) : print_result(slice_text(report));
  if (!printed) return ExitStatus::environment;
  return module.twins.empty() ? ExitStatus::nothing_correct : ExitStatus::good;
}

}  // namespace

Command add_slice(CLI::App& program) {
  const auto options = std::make_shared<SliceOptions>();
  CLI::App* app = program.add_subcommand(
      "slice", "Add twins to CUDA kernels (PTX): copies of kernels, each of which runs a part of a grid");
  app->add_option("FILE", options->file, "PTX, as `nvcc -ptx` and NVRTC write it")->type_name("FILE")->required();
  app->add_option("--forms", options->forms, "Forms of twins, separated by commas; by default all")
      ->type_name("add|linear|guard|persistent")
      ->delimiter(',')
      ->default_str("add,linear,guard,persistent");
  add_parsed(*app, "--arch", options->architecture, parse_architecture, "sm_NN",
             "The GPU to assemble for, where ptxas is installed; by default the text's own");
  app->add_option("--output,-o", options->output, "Write the text with its twins to a file")->type_name("FILE");
  app->add_flag("--overwrite", options->overwrite, "Replace an existing file");
  app->add_flag("--json", options->json, "Print one JSON document (docs/formats/json.md)");
  app->footer(
      "A twin takes the arguments of its kernel and one more, which says which blocks of the whole grid the launch "
      "runs. The form `add` runs a box of blocks, `linear` and `guard` run a range of block numbers. In the form "
      "`persistent`, resident blocks take numbers from a counter until a word tells them to stop. Each block sees the "
      "index and the grid of the whole launch. A kernel that cannot be cut is refused, with the construct and its line "
      "(docs/slice.md).\n\n"
      "Examples:\n"
      "  nvcc -ptx -arch=sm_90 gemm.cu\n"
      "  wattune slice gemm.ptx\n"
      "  wattune slice gemm.ptx --forms persistent -o gemm_twins.ptx\n"
      "  wattune slice gemm.ptx --arch sm_100 --json");
  return {app, [options] { return run_slice(*options); }};
}

}  // namespace wattune::cli
