// Tuning on the data of one call, at once: on copies, so that what the call passes keeps its contents.
#pragma once

#include <span>

#include "dynamic/key_search.h"
#include "dynamic/signature.h"
#include "dynamic/streams.h"
#include "wattune/dynamic/call.h"
#include "wattune/tune/tuning.h"

namespace wattune::dynamic {

// A call whose kernel is tuned, and where.
struct CallToTune {
  const Problem& problem;  // at the sizes of the call
  const Signature& signature;
  std::span<const CallArgument> arguments;
  backend::Device& device;  // of the application
  Lane& lane;               // of the call, in which the arguments are read
  backend::Device& on;      // where configurations run: the same, or one in another process
};

// Blocks. Outputs are checked where the spec has a reference that is computed. Images, and what has another length in
// each configuration, hold what the spec says. Errors of reading the arguments, of make_evaluator() and of the search.
Result<tune::TuningResult> tune_now(const CallToTune& call, const KeySearch& search);

}  // namespace wattune::dynamic
