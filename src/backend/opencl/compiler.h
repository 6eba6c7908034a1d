// From OpenCL C to programs, and to code that is loaded later, by another process.
//
// OpenCL's compilers are reached only through a context on the device. A compile process has one of its own, without a
// queue, as long as it lives.
#pragma once

#include <span>
#include <string>

#include "backend/opencl/session.h"
#include "wattune/backend/device.h"

namespace wattune::backend::opencl {

struct Built {
  Handle<cl_program> program;
  std::string log;
};

// compile_failed with the log; the compiler cannot be interrupted from within its process, so a limit that passed is
// noticed when it is done.
Result<Built> build_source(const std::shared_ptr<Session>& session, const KernelSource& source,
                           std::span<const Macro> macros, Nanoseconds limit);
// From what binary_of() gave, of a device of the same kind. Drivers compile what is no machine code yet.
Result<Handle<cl_program>> build_binary(const std::shared_ptr<Session>& session, const std::string& code,
                                        Nanoseconds limit);

// Of a program that was built for one device. unavailable: the driver hands out none.
Result<std::string> binary_of(const ClApi& cl, cl_program program);

// The target of a session's device, after trying on something small that its driver hands out binaries and takes them
// back. unavailable: it does not.
Result<CompileTarget> target_of(const std::shared_ptr<Session>& session);

// On a device of the target's kind, which stays open. compile_failed with the log, timeout, unavailable.
Result<Image> compile(const CompileTarget& target, const KernelSource& source, std::span<const Macro> macros,
                      Nanoseconds limit);

}  // namespace wattune::backend::opencl
