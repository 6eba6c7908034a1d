#include "backend/interface/compiler_environment.h"

#include <cstdlib>

namespace wattune::inline v0_1::backend {

namespace {

std::vector<const char*> heeded_variables(const KernelSource& source) {
  const bool is_c = source.language == Language::c;
  const char* const folders = is_c ? "C_INCLUDE_PATH" : "CPLUS_INCLUDE_PATH";
  if (is_host_language(source.language) && !source.host_compiler.empty()) return {"CPATH", folders};
  if (is_host_language(source.language)) return {is_c ? "CC" : "CXX", "CPATH", folders};
  if (source.compiler != Compiler::nvcc) return {};
  return {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "NVCC_CCBIN"};
}

}  // namespace

std::vector<EnvironmentVariable> compiler_environment(const KernelSource& source) {
  std::vector<EnvironmentVariable> variables;
  for (const char* name : heeded_variables(source))
    if (const char* const value = std::getenv(name); value != nullptr && *value != '\0')
      variables.push_back({name, value});
  return variables;
}

}  // namespace wattune::backend
