// A likely cause of code that does not compile: a parameter, which is a macro, has the name of something in the code.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend {

// A place where a parameter that is a macro replaces a declared name (`int n`) or a member (`blockIdx.x`).
struct NameCollision {
  std::string parameter;
  int line = 0;
  std::string message;
};

// Returns the first such place of each parameter.
std::vector<NameCollision> name_collisions(const KernelSource& source, std::span<const Macro> macros);

// Compiles with these macros. Returns the compiler's messages if it refuses the source, and nullopt otherwise.
using TrialCompilation = std::function<std::optional<std::string>(std::span<const Macro>)>;

// Returns the message of the first of these places that is seen to be a cause. The source is compiled again without the
// macro: it compiles now, or its messages no longer name the line. Empty if there is none. `log` is of the failure.
std::string tested_collision(const KernelSource& source, std::span<const Macro> macros, std::string_view log,
                             const TrialCompilation& compile);

}  // namespace wattune::backend
