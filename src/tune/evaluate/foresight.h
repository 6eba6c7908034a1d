// Foresight: the properties of a configuration that are known before it runs, because it was compiled ahead.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tune/evaluate/evaluation_context.h"
#include "wattune/search/strategy.h"

namespace wattune::inline v0_1::tune {

// Returns the compiler's figures for a configuration; nullopt until the configuration is compiled. `runs` is false if
// it breaks a limit of the device or a constraint on resources, or if the compiler refuses it. Other failures show only
// when it is evaluated. Precondition: a pool compiles ahead.
std::optional<search::CompileFeatures> foresee(EvaluationContext& run, const Configuration& configuration);

// Returns the resources that a launch of the image's kernels takes on a device of this architecture, as far as the
// compiler reports them; occupancy is computed (model/occupancy.h). Returns nullopt if a work-group needs more
// registers than the device has.
std::optional<backend::KernelResources> resources_of(const Launch& launch, const backend::Image& image,
                                                     const std::vector<backend::Macro>& macros,
                                                     const std::string& architecture);

}  // namespace wattune::tune
