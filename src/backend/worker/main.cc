// wattune-worker: the program that serves a device in a process of its own. open_device_in_worker() starts it; users
// never do.
#include "backend/worker/supervisor.h"
#include "wattune/backend/worker.h"

// Sets the options of the address sanitizer, if it is built in. A crash must end the worker by its signal, as in other
// builds, because the client tells the user how the worker ended.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the sanitizer looks for this name.
extern "C" const char* __asan_default_options() {
  return "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0";
}

int main(int argc, const char* const* argv) { return wattune::backend::run_worker(argc, argv); }
