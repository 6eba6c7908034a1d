// Tunes a kernel at once, on the data of one call. Tuning works on copies, so that the call's arguments keep their
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
  const Problem& problem;  // the problem with the sizes of the call
  const Signature& signature;
  std::span<const CallArgument> arguments;
  backend::Device& device;  // the application's device
  Lane& lane;               // lane of the call, in which the arguments are read
  backend::Device& on;      // device that runs configurations: the application's, or the same one in another process
};

// Tunes the kernel and blocks meanwhile. Outputs are compared with the spec's reference if a function or kernel
// computes it, and otherwise with the outputs of the default configuration. Images, and arguments whose length depends
// on the configuration, are filled as the spec states. Errors are those of reading the arguments, of make_evaluator()
// and of the search.
Result<tune::TuningResult> tune_now(const CallToTune& call, const KeySearch& search);

}  // namespace wattune::dynamic
