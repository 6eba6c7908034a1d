// The offline pass, which measures every configuration before the application begins. It finds the optimum that the
// runs are compared with.
#pragma once

#include "options.h"
#include "wattune/core/configuration.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace fourier {

struct Optimum {
  wattune::Configuration configuration;
  wattune::Nanoseconds time;     // of its launches, as the offline pass measured them
  wattune::Nanoseconds average;  // of all correct configurations
  std::size_t measured = 0;
};

// Reads the file options.optimum, and measures the configurations that it lacks. Fails with mismatch if the file is
// about another kernel or device, with not_found if no configuration is correct.
wattune::Result<Optimum> find_optimum(const wattune::KernelSpec& spec, const Options& options);

}  // namespace fourier
