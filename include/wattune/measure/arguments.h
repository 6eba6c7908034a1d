// Host-side contents of a kernel's arguments: generated, or read from files, and the reference for its outputs.
//
// Everything is bytes in the device's layout: little-endian elements without padding. Functions of their arguments
// alone, except that run_reference_function() runs the user's code, in a child process.
//
//   WATTUNE_ASSIGN(std::vector<std::byte> contents, make_contents(vector_argument, 1024, seed));
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::measure {

// The bytes of one vector argument, `length` elements of its type and width. FillExpression is evaluated by the
// caller-supplied function (space is above this module). Same spec, same bytes, on every machine.
// not_found, mismatch (file size), io_error.
using ElementFunction = Result<double> (*)(void* context, std::size_t index);
Result<std::vector<std::byte>> make_contents(const VectorArgument& argument, std::size_t length,
                                             std::uint64_t default_seed, ElementFunction evaluate = nullptr,
                                             void* context = nullptr);

// `value` converted to the bytes of one element. out_of_range when an integer type cannot hold it.
Result<std::vector<std::byte>> to_bytes(double value, ElementType type);
Result<std::vector<std::byte>> to_bytes(const Value& value, ElementType type);

// Raw bytes, or the data of a .npy file whose type matches. not_found, mismatch, io_error.
Result<std::vector<std::byte>> read_data_file(const std::filesystem::path& path, ElementType type,
                                              std::size_t elements);

// One argument as a C++ reference sees it.
struct HostArgument {
  std::vector<std::byte> bytes;  // a vector's contents or a scalar's value; empty for local memory
  std::size_t length = 0;        // elements
};

// Compiles the C++ file with the system's compiler (c++ -O2 -shared -fPIC), calls its function on the arguments, which
// it changes in place. compile_failed, not_found, unavailable (no compiler), invalid_argument (it threw, crashed or
// ended the process), timeout (it took ten minutes), cancelled (Ctrl-C or SIGTERM ended it).
Result<void> run_reference_function(const ReferenceFunction& function, std::vector<HostArgument>& arguments);

}  // namespace wattune::measure
