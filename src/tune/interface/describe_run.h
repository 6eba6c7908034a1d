// Describes a run (RunInfo) with everything that identifies its measurements. Also computes the identity of a kernel
// alone, and that of a launch of it. Any thread may call the functions.
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

namespace wattune::inline v0_1::tune {

// Returns the parts of the identity that say how configurations are measured: cache mode, check mode, measuring policy,
// and the metrics observed beside the time.
Identity measuring_identity(const EvaluatorOptions& options, const measure::MeasurePolicy& policy);

// Returns the RunInfo of tuning `spec` on `device`, measured as `measuring` says. Reads the data files and the files
// that kernel and reference include. A missing file counts as empty, because the code that needs its contents reports
// it.
RunInfo describe_run(const KernelSpec& spec, const space::SearchSpace& space, const DeviceInfo& device,
                     const Identity& measuring = {});

// The beginning of the identity's part "reference" if the default configuration is the reference. The text of the
// configuration follows.
inline constexpr std::string_view kDefaultIsReference = "default configuration ";
// Returns the part "reference" for runs in which no outputs are compared.
std::string reference_of_none();

// Returns the text of the identity's part kResourceConstraints.
std::string resource_constraints_of(const KernelSpec& spec);

// Returns the identity of the kernel itself, whatever its sizes, data and folders: code, options, launches, types of
// the arguments, parameters. Constraints are no part, because a loaded spec contains the sizes in them as numbers. If
// the spec has several languages, `spec.source` counts. Parts that also belong to a run's identity have the same names
// and values in both.
Identity kernel_identity(const KernelSpec& spec);

// Returns the identity of a launch: code and its compilation, sizes, grid, contents of the arguments. With a
// configuration and a device, the times of a launch depend on nothing else. The comparison of outputs, the allowed
// configurations and metrics computed from times are no parts. Reads files as describe_run() does. Parts that also
// belong to a run's identity have the same names in both. They have the same values, too, unless the spec compares
// outputs in another way than by all their elements.
Identity launch_identity(const KernelSpec& spec);

}  // namespace wattune::tune
