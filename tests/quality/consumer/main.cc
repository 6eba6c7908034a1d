// An application that only knows the installed library, which finds its own programs.
#include <cstdio>

#include "wattune/backend/worker.h"
#include "wattune/space/search_space.h"

namespace {

wattune::Result<void> use_library() {
  WATTUNE_ASSIGN(const auto space, wattune::space::SearchSpace::build(
                                       {{.name = "x", .values = {1, 2, 3, 4}}, {.name = "y", .values = {1, 2}}},
                                       {{.expression = "x % y == 0"}}));
  if (space.count() != 6) return wattune::Error(wattune::ErrorCode::mismatch, "the space has not 6 configurations");
  WATTUNE_TRY(wattune::backend::discover_in_worker());
  return {};
}

}  // namespace

int main() {
  const wattune::Result<void> used = use_library();
  if (!used) std::fprintf(stderr, "%s\n", used.error().to_string().c_str());
  return used ? 0 : 1;
}
