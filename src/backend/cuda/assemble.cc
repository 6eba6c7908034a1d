#include "backend/cuda/ptxas_log.h"
#include "backend/interface/compile.h"
#include "backend/interface/compiler_program.h"
#include "core/new_file.h"

namespace wattune::inline v0_1::backend {

namespace {

// Returns the first error in ptxas' log without the name of the temporary file: "line 17; error   : ..." for "ptxas
// FILE, line 17; error   : ...".
std::string first_mistake(const std::string& log) {
  const std::string line = log.substr(0, log.find('\n'));
  const std::size_t place = line.find(", line ");
  return place == std::string::npos ? line : line.substr(place + 2);
}

}  // namespace

Result<AssembledKernels> assemble_ptx(const std::string& text, const std::string& architecture, Nanoseconds limit) {
  const auto program = find_toolkit_program("ptxas");
  if (!program) return Error(ErrorCode::unavailable, "no ptxas is installed, so nothing is known of registers");
  WATTUNE_ASSIGN(const auto folder, TemporaryFolder::create());
  WATTUNE_TRY(write_new_file(folder / "kernels.ptx", text));
  WATTUNE_ASSIGN(const int status, run_program({program->string(), "-v", "-arch=" + architecture, "-o",
                                                (folder / "kernels.cubin").string(), (folder / "kernels.ptx").string()},
                                               folder / "log", limit));
  const std::string log = written_to(folder / "log");
  if (status == 0) return cuda::read_ptxas_log(log).kernels;
  const std::string death = death_of("ptxas", status);
  return Error(ErrorCode::compile_failed, "ptxas refuses it for " + architecture)
      .about(death.empty() ? first_mistake(log) : death);
}

}  // namespace wattune::backend
