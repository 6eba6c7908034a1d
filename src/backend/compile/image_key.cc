#include "backend/compile/image_key.h"

#include <sstream>

#include "backend/interface/compiler_environment.h"
#include "backend/interface/included_files.h"
#include "backend/worker/protocol.h"
#include "wattune/core/identity.h"
#include "wattune/core/version.h"

namespace wattune::inline v0_1::backend {

namespace {

// The version of the keys. Raise it when Wattune passes other input to compilers for the same source, or stores more of
// the compilers' output.
constexpr int kFormat = 5;

// Adds nvcc's environment to the options: its own options, and the header folders of the host's compiler.
KernelSource with_environment(KernelSource source) {
  if (source.compiler != Compiler::nvcc) return source;
  const auto add = [&](const std::string& option, const std::string& value, char separator) {
    std::istringstream parts(value);
    for (std::string part; std::getline(parts, part, separator);) source.options.push_back(option + part);
  };
  for (const auto& [name, value] : compiler_environment(source)) {
    if (name.ends_with("_FLAGS")) add("", value, ' ');
    if (name.ends_with("PATH")) add("-I", value, ':');
    if (name == "NVCC_CCBIN") source.options.push_back("-ccbin=" + value);
  }
  return source;
}

}  // namespace

std::optional<std::string> image_key(const CompileTarget& target, const KernelSource& of,
                                     std::span<const Macro> macros) {
  const KernelSource source = with_environment(of);
  const IncludedFiles included = included_files(source);
  if (!included.complete) return std::nullopt;
  worker::Writer writer;
  writer.put(std::string(kVersion));
  writer.put(kFormat);
  writer.put(target);
  writer.put(source);
  writer.put(std::vector<Macro>(macros.begin(), macros.end()));
  writer.put(included.contents);
  const auto bytes = writer.bytes();
  return content_hash({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace wattune::backend
