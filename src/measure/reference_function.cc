// A C++ reference: compiled with the system's compiler into a shared object in a folder of its own, loaded, called,
// unloaded, removed.
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <fstream>
#include <iterator>
#include <memory>
#include <system_error>

#include "backend/build_log.h"
#include "backend/compiler_program.h"
#include "measure/isolated_call.h"
#include "wattune/measure/arguments.h"

namespace wattune::measure {

namespace {

constexpr std::array kCompilers{"c++", "g++", "clang++"};

std::string contents(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator(stream), {}};
}

Result<void> compile(const std::filesystem::path& source, const std::filesystem::path& object,
                     const std::filesystem::path& log) {
  for (const char* compiler : kCompilers) {
    const Result<int> status = backend::run_program(
        {compiler, "-std=c++20", "-O2", "-shared", "-fPIC", "-o", object.string(), source.string()}, log);
    if (!status && status.error().code() == ErrorCode::not_found) continue;
    if (!status) return status.error();
    if (*status == 0) return {};
    return Error(ErrorCode::compile_failed, fmt::format("{} cannot compile the reference {}: {}", compiler,
                                                        source.string(), backend::telling_line(contents(log))));
  }
  return Error(ErrorCode::unavailable, "no C++ compiler found for the reference").hint("install g++ or clang++");
}

}  // namespace

Result<void> run_reference_function(const ReferenceFunction& function, std::vector<HostArgument>& arguments) {
  std::error_code ignored;
  if (!std::filesystem::exists(function.file, ignored))
    return Error(ErrorCode::not_found, "no such file").about(function.file.string());
  WATTUNE_ASSIGN(const auto folder, backend::TemporaryFolder::create());
  const std::filesystem::path object = folder / "reference.so";
  // An absolute path, so that a source named like an option is not one.
  WATTUNE_TRY(compile(std::filesystem::absolute(function.file, ignored), object, folder / "compiler.log"));

  const std::unique_ptr<void, int (*)(void*)> library(dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL), dlclose);
  if (!library)
    return Error(ErrorCode::compile_failed, fmt::format("cannot load the compiled reference: {}", dlerror()));
  void* const symbol = dlsym(library.get(), function.function.c_str());
  if (symbol == nullptr)
    return Error(ErrorCode::not_found, fmt::format("{} has no function of this name", function.file.string()))
        .about(function.function)
        .hint("declare it extern \"C\"");
  return call_isolated(reinterpret_cast<ReferenceSignature>(symbol), arguments);
}

}  // namespace wattune::measure
