// A C++ reference, called in a process of its own, a child of the worker.
//
// That process is the user's: it may crash, throw, exit, hang or close what it finds open, from its static initialisers
// on. It has no input, its output goes nowhere but into errors, it holds no connection, and what it starts is ended
// with the worker. Static destructors do not run.
#pragma once

#include "backend/worker/guarded_arguments.h"
#include "backend/worker/protocol.h"

namespace wattune::backend::worker {

// compile_failed, not_found (the function), unavailable (no compiler, no process for it), timeout; invalid_argument: it
// crashed, threw, ended its process, or accessed what it must not. Precondition: this process has one thread.
Result<Nothing> call_reference(const ReferenceRequest& request, const GuardedArguments& arguments);

}  // namespace wattune::backend::worker
