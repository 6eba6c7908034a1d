// Loops in which a thread waits for what another block does.
#pragma once

#include "wattune/slice/ptx_tree.h"

namespace wattune::slice {

// The first read of device memory whose value decides, in a loop that does not change its address, whether the loop
// goes on: a flag of another block, a lock. nullptr: there is none. Loops that try an exchange again with the value
// that they found wait for nobody.
const PtxInstruction* find_waiting(const PtxFunction& function);

}  // namespace wattune::slice
