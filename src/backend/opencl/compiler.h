// Compiles OpenCL C to programs, and to code that another process loads later.
//
// OpenCL's compilers are reached only through a context on the device. A compile process keeps a context without a
// queue as long as it lives.
#pragma once

#include <span>
#include <string>

#include "backend/opencl/session.h"
#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::opencl {

struct Built {
  Handle<cl_program> program;
  std::string log;
};

// Compiles a source. Fails with compile_failed and the log. The compiler cannot be interrupted within its process, so
// an exceeded limit is noticed when it is done.
Result<Built> build_source(const std::shared_ptr<Session>& session, const KernelSource& source,
                           std::span<const Macro> macros, Nanoseconds limit);
// Builds a program from a result of binary_of() for a device of the same kind. The driver compiles the binary now if it
// is not machine code.
Result<Handle<cl_program>> build_binary(const std::shared_ptr<Session>& session, const std::string& code,
                                        Nanoseconds limit);

// Returns the binary of a program that was built for one device. Fails with unavailable if the driver returns none.
Result<std::string> binary_of(const ClApi& cl, cl_program program);

// Returns the target of a session's device. Fails with unavailable if the driver, tried with a small program, returns
// no binaries or does not accept them.
Result<CompileTarget> target_of(const std::shared_ptr<Session>& session);

// Compiles for the target. For that it opens a device of the target's kind, which stays open. Fails with compile_failed
// and the log, with timeout or unavailable.
Result<Image> compile(const CompileTarget& target, const KernelSource& source, std::span<const Macro> macros,
                      Nanoseconds limit);

}  // namespace wattune::backend::opencl
