// Computes the memory that a kernel's declarations need, and the offsets of its parameters in the argument buffer.
#pragma once

#include <cstddef>

#include "slice/call_graph.h"
#include "slice/interface/ptx_tree.h"

namespace wattune::inline v0_1::slice {

// Returns the size of a PTX type in bytes: 8 for "b64", 0 for a type without a size.
std::size_t bytes_of_type(std::string_view type);
// Returns the size of a variable, including its vector length and dimensions; 0 for an array without a length.
std::size_t bytes_of(const PtxVariable& variable);
// Returns the offset of the first byte after a kernel's parameters, rounded up to `alignment`.
std::size_t parameters_end(const PtxFunction& entry, std::size_t alignment);

// Returns the size of the static shared memory of a kernel: the variables of the kernel and of the functions that it
// calls, and the module's variables that these name.
std::size_t shared_bytes_of(const PtxTree& tree, const PtxFunction& entry, const CallGraph& calls);
// True if the kernel, or a function that it calls, names an `extern .shared` array.
bool uses_dynamic_shared(const PtxTree& tree, const PtxFunction& entry, const CallGraph& calls);

}  // namespace wattune::slice
