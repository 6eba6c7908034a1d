// RunInfo: what a run is about, with all that identifies its measurements; and what identifies a kernel alone,
// and a launch of it. Any thread may call.
//
//   const Identity measuring = measuring_identity(options, *policy);
//   WATTUNE_ASSIGN(auto journal, store::Journal::open(file, describe_run(spec, space, device.info(), measuring)));
#pragma once

#include <string>
#include <string_view>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/trial.h"
#include "wattune/measure/policy.h"
#include "wattune/space/search_space.h"
#include "wattune/tune/evaluator.h"

namespace wattune::tune {

// How configurations are measured: cache, check, policy, and what is observed beside the time.
Identity measuring_identity(const EvaluatorOptions& options, const measure::MeasurePolicy& policy);

// The RunInfo of tuning `spec` on `device`, measured so. Reads the files that the kernel and the reference include, and
// those of data: a file that is missing counts as empty, because whoever needs it says so.
RunInfo describe_run(const KernelSpec& spec, const space::SearchSpace& space, const DeviceInfo& device,
                     const Identity& measuring = {});

// How the identity's part "reference" begins where the default configuration is the reference, which follows.
inline constexpr std::string_view kDefaultIsReference = "default configuration ";
// That part where nothing is compared.
std::string reference_of_none();

// The text of the identity's part kResourceConstraints.
std::string resource_constraints_of(const KernelSpec& spec);

// The kernel itself, whatever its sizes, data and folders: code, options, launches, types of the arguments, parameters.
// Constraints are no part, because a spec that was loaded has the sizes in them as numbers. Of several languages that
// of `spec.source` counts. Parts that identify a run too have the same names and values there.
Identity kernel_identity(const KernelSpec& spec);

// What is launched, and what on: code and how it is compiled, sizes, grid, contents of the arguments. With a
// configuration and a device that is all that the times of a launch depend on; how outputs are judged, which
// configurations are allowed and what is computed of times are no parts. Reads files as describe_run() does. Parts that
// identify a run too have the same names there, and the same values unless outputs are not compared by their elements.
Identity launch_identity(const KernelSpec& spec);

}  // namespace wattune::tune
