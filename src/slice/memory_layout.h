// How much memory a kernel's declarations take, and where its parameters lie in the buffer of all of them.
#pragma once

#include <cstddef>

#include "slice/call_graph.h"
#include "wattune/slice/ptx_tree.h"

namespace wattune::slice {

// Of one element of a type: 8 of "b64". 0 of those without a size.
std::size_t bytes_of_type(std::string_view type);
// Of a variable with its vector length and dimensions; 0 of one without a length.
std::size_t bytes_of(const PtxVariable& variable);
// The end of a kernel's parameters, rounded up to `alignment`.
std::size_t parameters_end(const PtxFunction& entry, std::size_t alignment);

// Static shared memory of the kernel, what it calls, and those of the module's variables that these name.
std::size_t shared_bytes_of(const PtxTree& tree, const PtxFunction& entry, const CallGraph& calls);
// Whether they name an `extern .shared` array.
bool uses_dynamic_shared(const PtxTree& tree, const PtxFunction& entry, const CallGraph& calls);

}  // namespace wattune::slice
