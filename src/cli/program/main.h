// The program `wattune` as main() calls it, in a header without CLI11, which takes seconds to compile.
#pragma once

namespace wattune::cli {

// Returns the exit status of the process.
int run_wattune(int argc, const char* const* argv);

}  // namespace wattune::cli
