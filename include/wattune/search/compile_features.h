// CompileFeatures: the properties of a configuration that are known once it is compiled, before it runs. A plain value.
//
//   for (const ConfigurationId id : strategy->prospects())
//     if (const auto features = look_at(compile(id))) strategy->foresee(id, *features);
//   const std::vector<ConfigurationId> next = strategy->ask(1);
#pragma once

#include <vector>

#include "wattune/core/observation.h"

namespace wattune::search {

struct CompileFeatures {
  bool runs = true;             // false if it cannot be compiled, or if no device of this kind can launch its kernels
  std::vector<Metric> metrics;  // named as in resource_names() (core/kernel_spec.h), as far as the compiler tells
};

}  // namespace wattune::search
