// Contents of a kernel's arguments on the host: generated, or read from files, and the reference for its outputs.
//
// All contents are bytes in the device's layout: little-endian elements without padding. Results depend on the
// arguments alone, except that run_reference_function() runs the user's code, in a worker. Any thread may call the
// functions.
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

namespace wattune::inline v0_1::measure {

// Generates the bytes of one vector argument: `length` elements of its type and width. `evaluate` evaluates a
// FillExpression, because the module space lies above this one. Equal specs give equal bytes on every machine. Fails
// with out_of_range if a number does not fit the type, with invalid_argument if `evaluate` is needed and nullptr, and
// as read_data_file() does.
using ElementFunction = Result<double> (*)(void* context, std::size_t index);
Result<std::vector<std::byte>> make_contents(const VectorArgument& argument, std::size_t length,
                                             std::uint64_t default_seed, ElementFunction evaluate = nullptr,
                                             void* context = nullptr);

// Converts `value` to the bytes of one element. A value that is a text of digits stands for an integer from 2^63 on.
// Fails with out_of_range if the type cannot hold the value, and with invalid_argument for any other text.
Result<std::vector<std::byte>> to_bytes(double value, ElementType type);
Result<std::vector<std::byte>> to_bytes(const Value& value, ElementType type);

// Reads raw bytes, or the data of a .npy file. Fails with not_found, with mismatch if the file has another type or
// size, with parse_error for a damaged .npy header, and with io_error.
Result<std::vector<std::byte>> read_data_file(const std::filesystem::path& path, ElementType type,
                                              std::size_t elements);

// Reads the elements of an argument from a file, with or without their padding. Errors are those of reading raw bytes
// by read_data_file().
Result<std::vector<std::byte>> read_data_file(const std::filesystem::path& path, const VectorArgument& argument,
                                              std::size_t length);

// Puts the padding of the argument behind each of its elements.
std::vector<std::byte> with_padding(std::vector<std::byte> dense, const VectorArgument& argument);

// One argument of a reference written in C++: its initial contents and, for an output, the contents that the reference
// leaves.
struct HostArgument {
  std::string name;
  std::size_t bytes = 0;   // 0 for local memory, which the reference does not get
  std::size_t length = 0;  // number of elements
  bool writable = false;
  std::span<const std::byte> contents;  // initial contents, which outlive the call; if empty, all bytes are `fill`
  std::byte fill{};
  bool wanted = false;  // true to get the contents afterwards, in `result`
  std::vector<std::byte> result;
};

struct ReferenceOptions {
  Nanoseconds limit = nanoseconds_from_seconds(600);  // time to compile, load and call the reference
  backend::WorkerOptions worker;
};

// Compiles the C++ file with the system's compiler (CXX or c++; -std=c++20 -O2 -shared -fPIC), calls its function and
// fills the results. All this happens in a worker, which ends with everything that the reference started. Errors:
// - compile_failed, timeout;
// - not_found: the file or the function does not exist;
// - unavailable: no worker, no compiler or no memory, or the worker was killed;
// - invalid_argument: the reference crashed, threw, ended its process, or made an invalid memory access.
Result<void> run_reference_function(const ReferenceFunction& function, std::vector<HostArgument>& arguments,
                                    const ReferenceOptions& options = {});

}  // namespace wattune::measure
