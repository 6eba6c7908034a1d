// Writes arguments and launches as TOML.
#pragma once

#include <string>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::spec {

std::string argument_toml(const Argument& argument);
// Returns the value of the key `launch`: an inline table or a list of them. Precondition: the spec has steps or a
// geometry.
std::string launch_toml(const KernelSpec& spec);

}  // namespace wattune::spec
