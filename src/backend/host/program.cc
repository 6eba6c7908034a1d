#include "backend/host/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "backend/compile/preprocessor.h"
#include "backend/host/calls.h"
#include "backend/interface/compiler_program.h"
#include "core/new_file.h"
#include "core/stopwatch.h"

namespace wattune::inline v0_1::backend::host {

namespace {

namespace fs = std::filesystem;

// For each of the source's calls the compiler's error; empty if the call is right.
using Objections = std::vector<std::string>;

class HostProgram : public Program {
 public:
  HostProgram(std::shared_ptr<Session> session, const KernelSource& source, Objections objections, SharedObject code,
              std::string log)
      : Program(*session),
        session_(std::move(session)),
        calls_(source.calls),
        returned_unit_(source.returned_unit),
        objections_(std::move(objections)),
        code_(std::make_shared<const SharedObject>(std::move(code))),
        log_(std::move(log)) {}

  const std::string& build_log() const override { return log_; }

  Result<std::unique_ptr<Kernel>> kernel(const std::string& name) override {
    WATTUNE_TRY(session_->check());
    const auto call = std::ranges::find(calls_, name, &FunctionCall::function);
    if (call == calls_.end()) return Error(ErrorCode::not_found, fmt::format("no call of `{}` was compiled", name));
    const auto number = static_cast<std::size_t>(call - calls_.begin());
    if (!objections_[number].empty())
      return Error(ErrorCode::mismatch,
                   fmt::format("`{}` cannot be called as the spec says: {}", name, objections_[number]));
    const auto caller = reinterpret_cast<HostKernel::CallerFunction>(code_->symbol(symbol_of_call(number)));
    return std::unique_ptr<Kernel>(std::make_unique<HostKernel>(
        session_, code_, name, HostKernel::Caller{caller, returned_unit_}, parameters_of(number, call->arguments)));
  }

 private:
  std::vector<KernelParameter> parameters_of(std::size_t call, const std::vector<CallArgument>& arguments) const {
    const auto* const sizes = static_cast<const unsigned long*>(code_->symbol(symbol_of_sizes(call)));
    std::vector<KernelParameter> parameters;
    for (const CallArgument& argument : arguments)
      parameters.push_back({.name = argument.name, .bytes = sizes[parameters.size()]});
    return parameters;
  }

  std::shared_ptr<Session> session_;
  std::vector<FunctionCall> calls_;
  std::optional<Nanoseconds> returned_unit_;
  Objections objections_;
  std::shared_ptr<const SharedObject> code_;
  std::string log_;
};

// Returns the compiler's options. Relative folders are resolved from the source's folder, as in CUDA. Functions of the
// source are hidden, so that no static variable is shared with another configuration's code.
std::vector<std::string> options_for(const KernelSource& source, std::span<const Macro> macros) {
  std::vector<std::string> options{"-fvisibility=hidden"};
  for (const Macro& macro : macros) options.push_back(fmt::format("-D{}={}", macro.name, on_one_line(macro.value)));
  const std::vector<std::string> users = options_with_own_folder(source);
  options.insert(options.end(), users.begin(), users.end());
  return options;
}

// Returns the objections that need no compiler. In C the cast that passes a struct hides what the function returns.
Objections objections_without_compiling(const KernelSource& source) {
  Objections objections;
  for (const FunctionCall& call : source.calls)
    objections.emplace_back(source.returned_unit && hides_result(source.language, call)
                                ? "in C, a function that takes a struct cannot return its time"
                                : "");
  return objections;
}

// Compiles a source repeatedly, each time without the calls that the compiler objects to. Such a call affects only the
// configurations that make it.
class Compilation {
 public:
  Compilation(const KernelSource& source, std::span<const Macro> macros, TemporaryFolder folder)
      : source_(source),
        options_(options_for(source, macros)),
        folder_(std::move(folder)),
        objections_(objections_without_compiling(source)) {}

  // Returns the compiler's messages. Fails with compile_failed if the errors are not about calls.
  Result<std::string> run(Nanoseconds limit) {
    const Stopwatch stopwatch;
    for (;;) {
      Result<std::string> log = compile(limit - stopwatch.elapsed());
      if (log || log.error().code() != ErrorCode::compile_failed || !objects_to_more(log.error().message())) return log;
    }
  }

  fs::path object() const { return folder_ / "kernel.so"; }
  const Objections& objections() const { return objections_; }

 private:
  Result<std::string> compile(Nanoseconds limit) const {
    const fs::path file = folder_ / (source_.language == Language::c ? "kernel.c" : "kernel.cc");
    std::vector<bool> wanted;
    for (const std::string& objection : objections_) wanted.push_back(objection.empty());
    std::error_code ignored;
    fs::remove(file, ignored);  // removes the object of the previous compilation
    WATTUNE_TRY(write_new_file(file, with_calls(source_, wanted)));
    return compile_shared_object(source_.language, file, options_, object(), limit, source_.host_compiler);
  }

  bool objects_to_more(std::string_view log) {
    bool more = false;
    for (std::size_t i = 0; i < objections_.size(); ++i) {
      const std::optional<std::string> objection = objection_to(source_.calls[i], i, log);
      if (!objection || !objections_[i].empty()) continue;
      objections_[i] = *objection;
      more = true;
    }
    return more;
  }

  const KernelSource& source_;
  const std::vector<std::string> options_;
  const TemporaryFolder folder_;
  Objections objections_;
};

}  // namespace

Result<std::unique_ptr<Program>> build_program(const std::shared_ptr<Session>& session, const KernelSource& source,
                                               std::span<const Macro> macros, Nanoseconds limit) {
  WATTUNE_ASSIGN(TemporaryFolder folder, TemporaryFolder::create());
  Compilation compilation(source, macros, std::move(folder));
  WATTUNE_ASSIGN(std::string log, compilation.run(limit));
  WATTUNE_ASSIGN(SharedObject code, SharedObject::load(compilation.object()));
  return std::unique_ptr<Program>(
      std::make_unique<HostProgram>(session, source, compilation.objections(), std::move(code), std::move(log)));
}

}  // namespace wattune::backend::host
