#include "dynamic/calls/surroundings.h"

#include <fmt/format.h>

namespace wattune::inline v0_1::dynamic {

void KeyedKernel::note(const std::string& text) const {
  around.note(fmt::format("kernel `{}`, {}: {}", parts.spec.name, to_string(problem->key), text));
}

}  // namespace wattune::dynamic
