// Finds a likely reason why code does not compile: a parameter, which is a macro, has the name of something in the
// code.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend {

// A place in the code where a parameter, being a macro, replaces a declared name (`int n`) or a member (`blockIdx.x`).
struct NameCollision {
  std::string parameter;
  int line = 0;
  std::string message;
};

// Returns the first collision of each parameter.
std::vector<NameCollision> name_collisions(const KernelSource& source, std::span<const Macro> macros);

// Compiles with these macros. Returns the compiler's messages if the compiler refuses the source, and nullopt
// otherwise.
using TrialCompilation = std::function<std::optional<std::string>(std::span<const Macro>)>;

// Returns a message on the first collision that proves to be the cause. To prove this, the source is compiled again
// without the macro: it then compiles, or the messages no longer name the line. Returns an empty text if no collision
// is the cause. `log` is the compiler's log of the failure.
std::string tested_collision(const KernelSource& source, std::span<const Macro> macros, std::string_view log,
                             const TrialCompilation& compile);

}  // namespace wattune::backend
