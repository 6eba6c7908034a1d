// An expression as the user wrote it. `tune` compiles it once per run. A value that owns its parts.
//
//   ExpressionText length{"width * height", {"kernel.toml", 12, 10}};
#pragma once

#include <string>

#include "wattune/core/error.h"

namespace wattune {

// An expression in the parameters and the problem size, with its place in the user's file.
struct ExpressionText {
  std::string text;
  SourcePosition position;
};

}  // namespace wattune
