// Tunes a kernel at once, on the data of one call. It works on copies, so that the call's arguments keep their
// contents.
#pragma once

#include <span>

#include "dynamic/calls/signature.h"
#include "dynamic/calls/streams.h"
#include "dynamic/tuning/key_search.h"
#include "wattune/dynamic/call.h"
#include "wattune/tune/tuning.h"

namespace wattune::inline v0_1::dynamic {

// A call whose kernel is to be tuned, and the devices for it.
struct CallToTune {
  const Problem& problem;  // with the sizes of the call
  const Signature& signature;
  std::span<const CallArgument> arguments;
  backend::Device& device;  // the application's
  Lane& lane;               // lane of the call, in which the arguments are read
  backend::Device& on;      // device that runs configurations: the same, or one in another process
};

// Tunes the kernel and blocks meanwhile. Outputs are compared with the spec's reference if that is computed, else with
// the outputs of the default configuration. Images, and arguments whose length depends on the configuration, are filled
// as the spec says. Fails as reading the arguments, make_evaluator() and the search do.
Result<tune::TuningResult> tune_now(const CallToTune& call, const KeySearch& search);

}  // namespace wattune::dynamic
