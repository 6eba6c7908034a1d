#include "dynamic/calls/shortcut.h"

namespace wattune::inline v0_1::dynamic {

Result<void> Shortcut::check_memory(std::span<const CallArgument> arguments) {
  WATTUNE_TRY(laid_out_.fit->check_memory(arguments));
  memory_.clear();
  for (const CallArgument& each : arguments) memory_.push_back(marked(each));
  return {};
}

}  // namespace wattune::dynamic
