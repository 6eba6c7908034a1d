// What a SearchSpace holds: the system as declared, the diagram, and what the diagram does not enforce.
#pragma once

#include "space/constraint_system.h"
#include "space/diagram.h"
#include "wattune/space/search_space.h"

namespace wattune::space {

struct SearchSpace::Data {
  ConstraintSystem system;
  Diagram diagram;
  std::vector<std::uint32_t> unchecked;               // terms to test per configuration; empty when exact
  ConfigurationId witness = 0;                        // a valid id
  std::vector<std::vector<std::uint16_t>> occurring;  // by level: values on its edges, ascending
  Configuration::Names names;
  BuildReport report;
  std::string content_hash;

  // Whether the configuration, which the diagram holds, meets the terms that the diagram does not enforce.
  bool passes_unchecked(const ValueIndices& indices) const;
};

}  // namespace wattune::space
