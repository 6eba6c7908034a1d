// The function that main() of the program `wattune` calls, in a header that does not include CLI11, which takes seconds
// to compile.
#pragma once

namespace wattune::cli {

// Runs the program and returns the exit status of the process.
int run_wattune(int argc, const char* const* argv);

}  // namespace wattune::cli
