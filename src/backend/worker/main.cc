// wattune-worker: a device in a process of its own. Started by open_device_in_worker(), never by hand.
#include "backend/worker/supervisor.h"
#include "wattune/backend/worker.h"

// Read by the address sanitizer, where it is built in: a crash must end the worker by its signal, as elsewhere, because
// the client tells the user how the worker ended.
// NOLINTNEXTLINE(bugprone-reserved-identifier, readability-identifier-naming): the sanitizer's name for it.
extern "C" const char* __asan_default_options() {
  return "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0";
}

int main(int argc, const char* const* argv) { return wattune::backend::run_worker(argc, argv); }
