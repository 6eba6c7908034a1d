// Foresight: what is known of a configuration that was compiled ahead, before it runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tune/run_state.h"
#include "wattune/search/compile_features.h"

namespace wattune::tune {

// Nothing while it is compiled. What breaks a limit of the device or a constraint on resources, or the compiler
// refuses, does not run; of anything else that may go wrong its evaluation tells. Precondition: something compiles
// ahead.
std::optional<search::CompileFeatures> foresee(const RunState& run, const Configuration& configuration);

// What a launch of the image's kernels takes on a device of this architecture, as far as the compiler told; occupancy
// is computed (model/occupancy.h). None: a work-group needs more registers than there are.
std::optional<backend::KernelResources> resources_of(const Launch& launch, const backend::Image& image,
                                                     const std::vector<backend::Macro>& macros,
                                                     const std::string& architecture);

}  // namespace wattune::tune
