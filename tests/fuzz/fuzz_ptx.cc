// Reads any text as PTX and adds twins to the result. Expects no crash, mistakes inside the text, and a text with twins
// that can be read again with the added kernels.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "slice/interface/twins.h"

namespace {

using namespace wattune::slice;

void check(bool condition) {
  if (!condition) std::abort();
}

std::size_t entries_of(const PtxTree& tree) {
  return static_cast<std::size_t>(std::ranges::count(tree.functions, true, &PtxFunction::entry));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto tree = parse_ptx(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!tree) {
    check(tree.error().position().file == "fuzz" && !tree.error().message().empty());
    return 0;
  }
  for (const PtxVariable& variable : tree->variables) (void)initial_values(*tree, variable);
  const auto module = add_twins(*tree, {TwinForm::add, TwinForm::linear, TwinForm::guard, TwinForm::persistent});
  if (!module) return 0;
  const auto again = parse_ptx(module->text, "twins");
  check(again.has_value());
  check(entries_of(*again) == entries_of(*tree) + module->twins.size());
  return 0;
}
