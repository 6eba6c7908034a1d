#include "cli/assemble.h"

#include "backend/compiler_program.h"
#include "backend/cuda/ptxas_log.h"
#include "wattune/backend/compile.h"
#include "wattune/store/formats.h"

namespace wattune::cli {

namespace {

// "line 17; error   : ..." of "ptxas FILE, line 17; error   : ...", whose file is a temporary one.
std::string first_mistake(const std::string& log) {
  const std::string line = log.substr(0, log.find('\n'));
  const std::size_t place = line.find(", line ");
  return place == std::string::npos ? line : line.substr(place + 2);
}

}  // namespace

Result<std::map<std::string, backend::KernelResources>> assemble(const std::string& text,
                                                                 const std::string& architecture) {
  const auto program = backend::find_toolkit_program("ptxas");
  if (!program) return Error(ErrorCode::unavailable, "no ptxas is installed, so nothing is known of registers");
  WATTUNE_ASSIGN(const auto folder, backend::TemporaryFolder::create());
  WATTUNE_TRY(store::write_file(folder / "kernels.ptx", text, true));
  WATTUNE_ASSIGN(const int status,
                 backend::run_program({program->string(), "-v", "-arch=" + architecture, "-o",
                                       (folder / "kernels.cubin").string(), (folder / "kernels.ptx").string()},
                                      folder / "log"));
  const std::string log = backend::written_to(folder / "log");
  if (status == 0) return backend::cuda::read_ptxas_log(log).kernels;
  return Error(ErrorCode::compile_failed, "ptxas refuses it for " + architecture).about(first_mistake(log));
}

}  // namespace wattune::cli
