// An application that only knows the installed library.
#include <cstdio>

#include "wattune/space/search_space.h"

int main() {
  auto space = wattune::space::SearchSpace::build(
      {{.name = "x", .values = {1, 2, 3, 4}}, {.name = "y", .values = {1, 2}}}, {{.expression = "x % y == 0"}});
  if (!space) {
    std::fprintf(stderr, "%s\n", space.error().to_string().c_str());
    return 1;
  }
  return space->count() == 6 ? 0 : 1;
}
