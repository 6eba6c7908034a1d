// Foresight: the properties of a configuration that was compiled ahead, known before it runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tune/evaluate/evaluation_context.h"
#include "wattune/search/strategy.h"

namespace wattune::inline v0_1::tune {

// Returns what compiling told of a configuration; nullopt while it is compiled. A configuration does not run if it
// breaks a limit of the device or a constraint on resources, or if the compiler refuses it. Its evaluation shows
// whatever else may go wrong. Precondition: something compiles ahead.
std::optional<search::CompileFeatures> foresee(const EvaluationContext& run, const Configuration& configuration);

// Returns what a launch of the image's kernels takes on a device of this architecture, as far as the compiler told;
// occupancy is computed (model/occupancy.h). Returns nullopt if a work-group needs more registers than there are.
std::optional<backend::KernelResources> resources_of(const Launch& launch, const backend::Image& image,
                                                     const std::vector<backend::Macro>& macros,
                                                     const std::string& architecture);

}  // namespace wattune::tune
