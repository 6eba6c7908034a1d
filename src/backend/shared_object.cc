#include "backend/shared_object.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/wait.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include "backend/build_log.h"
#include "backend/compiler_program.h"

namespace wattune::backend {

namespace {

std::string contents(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator(stream), {}};
}

std::string telling_end(int status, const std::filesystem::path& log) {
  const std::string line = telling_line(contents(log));
  if (!WIFSIGNALED(status)) return line;
  const std::string end = fmt::format("it was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return line.empty() ? end : end + ": " + line;
}

}  // namespace

Result<void> compile_shared_object(std::span<const char* const> compilers, const std::vector<std::string>& options,
                                   const std::filesystem::path& source, const std::filesystem::path& object,
                                   Nanoseconds limit) {
  std::error_code ignored;
  const std::filesystem::path log = object.string() + ".log";
  for (const char* compiler : compilers) {
    std::vector<std::string> command{compiler};
    command.insert(command.end(), options.begin(), options.end());
    // An absolute path, so that a source named like an option is not one.
    command.insert(command.end(),
                   {"-shared", "-fPIC", "-o", object, std::filesystem::absolute(source, ignored).string()});
    const Result<int> status = run_program(command, log, limit);
    if (!status && status.error().code() == ErrorCode::not_found) continue;
    if (!status) return status.error();
    if (*status == 0) return {};
    return Error(ErrorCode::compile_failed,
                 fmt::format("{} cannot compile {}: {}", compiler, source.string(), telling_end(*status, log)));
  }
  return Error(ErrorCode::unavailable, fmt::format("no compiler found: {}", fmt::join(compilers, ", ")))
      .about(source.string())
      .hint("install g++ or clang++");
}

Result<SharedObject> SharedObject::load(const std::filesystem::path& object) {
  if (void* const library = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL)) return SharedObject(library);
  return Error(ErrorCode::compile_failed, fmt::format("cannot load what was compiled: {}", dlerror()));
}

void* SharedObject::find(const std::string& name) const { return dlsym(library_, name.c_str()); }

}  // namespace wattune::backend
