// Calls a reference written in C++ in a process of its own, a child of the worker.
//
// That process runs the user's code: it may crash, throw, exit, hang, or close any open descriptor, from its static
// initialisers on. It has no input, its output is used in error messages only, and it holds no connection. Processes
// that it starts end with the worker. Static destructors do not run.
#pragma once

#include "backend/worker/guarded_arguments.h"
#include "backend/worker/protocol.h"

namespace wattune::inline v0_1::backend::worker {

// Calls the reference. Fails with compile_failed, not_found (no such function), unavailable (no compiler, or no process
// for the reference) or timeout. Fails with invalid_argument if the reference crashed, threw, ended its process, or
// accessed memory outside of its arguments. Precondition: this process has one thread.
Result<Nothing> call_reference(const ReferenceRequest& request, const GuardedArguments& arguments);

}  // namespace wattune::backend::worker
