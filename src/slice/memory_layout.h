// The memory that a kernel's declarations take, and the places of its parameters in the argument buffer.
#pragma once

#include <cstddef>

#include "slice/call_graph.h"
#include "slice/interface/ptx_tree.h"

namespace wattune::inline v0_1::slice {

// Returns the size of one element of a type: 8 for "b64"; 0 for a type without a size.
std::size_t bytes_of_type(std::string_view type);
// Returns the size of a variable with its vector length and dimensions; 0 for one without a length.
std::size_t bytes_of(const PtxVariable& variable);
// Returns the end of a kernel's parameters, rounded up to `alignment`.
std::size_t parameters_end(const PtxFunction& entry, std::size_t alignment);

// Returns the bytes of static shared memory of the kernel and the functions it calls, with the module's variables that
// they name.
std::size_t shared_bytes_of(const PtxTree& tree, const PtxFunction& entry, const CallGraph& calls);
// Tells whether the kernel, or a function that it calls, names an `extern .shared` array.
bool uses_dynamic_shared(const PtxTree& tree, const PtxFunction& entry, const CallGraph& calls);

}  // namespace wattune::slice
