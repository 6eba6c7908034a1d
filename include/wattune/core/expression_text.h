// ExpressionText: an expression as the user wrote it, which tune compiles once per run. A value; owned.
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
