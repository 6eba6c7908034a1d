// Host-side contents of a kernel's arguments: generated, or read from files, and the reference for its outputs.
//
// Everything is bytes in the device's layout: little-endian elements without padding. Functions of their arguments
// alone, except that run_reference_function() runs the user's code, in a worker. Any thread may call.
//
//   WATTUNE_ASSIGN(std::vector<std::byte> contents, make_contents(vector_argument, 1024, seed));
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "wattune/backend/worker.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

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

// One argument of a C++ reference: what it starts from and, of an output, what the reference left in it.
struct HostArgument {
  std::string name;
  std::size_t bytes = 0;   // none: local memory, which the reference does not get
  std::size_t length = 0;  // elements
  bool writable = false;
  std::span<const std::byte> contents;  // as many bytes, which outlive the call; empty: every byte is `fill`
  std::byte fill{};
  bool wanted = false;  // afterwards, in `result`
  std::vector<std::byte> result;
};

struct ReferenceOptions {
  Nanoseconds limit = nanoseconds_from_seconds(600);  // to compile, load and call it
  backend::WorkerOptions worker;
};

// Compiles the C++ file with the system's compiler (CXX or c++; -std=c++20 -O2 -shared -fPIC), calls its function and
// fills the results, all in a worker, which ends with what the reference started. compile_failed, not_found (the file,
// the function), timeout, unavailable (no worker, no compiler, no memory; the worker was killed); invalid_argument: it
// crashed, threw, ended its process, or accessed what it must not.
Result<void> run_reference_function(const ReferenceFunction& function, std::vector<HostArgument>& arguments,
                                    const ReferenceOptions& options = {});

}  // namespace wattune::measure
