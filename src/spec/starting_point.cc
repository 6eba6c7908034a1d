// Holds the files that `wattune init` writes. They are a commented spec, its kernel in OpenCL and CUDA, and a
// reference. The user replaces them by files of their own.
#include "wattune/spec/spec.h"

namespace wattune::inline v0_1::spec {

namespace {

constexpr std::string_view kSpec =
    R"toml(# A tuning problem for Wattune. Every key is described in docs/formats/spec.md. Try it as it is:
#
#   wattune space NAME.toml   how many configurations there are
#   wattune tune NAME.toml    find the fastest

[kernel]
# Files are relative to this one; .cl is OpenCL C, .cu is CUDA C++. One language alone will do.
file = "NAME.cl"
function = "saxpy"
cuda = { file = "NAME.cu" }
# options = ["-cl-fast-relaxed-math"]  # for the compiler
arguments = [                          # in the kernel's order
  # Buffers. Lengths count elements. access: read (the default), write, readwrite.
  # fill: uniform (low, high, seed), constant (value), iota (start, step), expression, file.
  { name = "x", type = "float*", length = "n", fill = "uniform", low = -1.0, high = 1.0 },
  { name = "y", type = "float*", length = "n", fill = "iota" },
  { name = "z", type = "float*", length = "n", access = "write" },
  # Scalars.
  { name = "a", type = "float", value = 2.5 },
  { name = "n", type = "int", value = "n" },
  # Local memory: { name = "tile", type = "local float", length = "block_size_x" }
]

[problem]  # sizes that the expressions here may use
n = 1_000_000

[launch]
# How many work-groups: the problem divided by what one work-group handles, rounded up, in each dimension.
divide = [["block_size_x", "elements"]]
# Or say it directly: global = [...] in work-items (OpenCL), or grid = [...] in work-groups (CUDA).
local = ["block_size_x"]               # the work-group; `block` means the same

[parameters]  # each is a macro of the kernel, unless it has another role
block_size_x = [32, 64, 128, 256, 512]
elements = { values = [1, 2, 4, 8], default = 1 }
unrolled = [0, 1]
# blocks = { values = [132, 264], role = "launch" }   # for the expressions here alone: never recompiles

[search]
constraints = [
  "block_size_x * elements <= 2048",   # Python's syntax; every configuration meets all of them
  "unrolled == 0 or elements > 1",
]
# strategy = "greedy_ils"              # `wattune tune --help` lists them
# evaluations = 100                    # stop after so many configurations,
# seconds = 60                         # so much time,
# fraction = 0.5                       # or this part of the space

[reference]                            # every configuration's output is compared with what this computes
file = "NAME_reference.cc"
)toml";

constexpr std::string_view kOpenClKernel =
    R"cl(// z = a * x + y. Each work-item handles `elements` elements, block_size_x apart.
// The parameters of the spec are macros here: block_size_x, elements, unrolled.
__kernel void saxpy(__global const float* restrict x, __global const float* restrict y, __global float* restrict z,
                    const float a, const int n) {
  const int first = get_group_id(0) * block_size_x * elements + get_local_id(0);
#if unrolled
#pragma unroll
#else
#pragma unroll 1
#endif
  for (int i = 0; i < elements; ++i) {
    const int index = first + i * block_size_x;
    if (index < n) z[index] = a * x[index] + y[index];
  }
}
)cl";

constexpr std::string_view kCudaKernel =
    R"cu(// z = a * x + y. Each thread handles `elements` elements, block_size_x apart.
// The parameters of the spec are macros here: block_size_x, elements, unrolled.
__global__ void saxpy(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ z, const float a,
                      const int n) {
  const int first = blockIdx.x * block_size_x * elements + threadIdx.x;
#if unrolled
#pragma unroll
#else
#pragma unroll 1
#endif
  for (int i = 0; i < elements; ++i) {
    const int index = first + i * block_size_x;
    if (index < n) z[index] = a * x[index] + y[index];
  }
}
)cu";

constexpr std::string_view kReference =
    R"reference(// What the kernel must compute, in plain C++: Wattune compiles this and compares the kernel's outputs with it.
#include <cstddef>

// `arguments` is in the kernel's order: the elements of a buffer, the address of a scalar. Lengths count elements.
extern "C" void reference(void* const* arguments, const std::size_t* lengths) {
  const float* x = static_cast<const float*>(arguments[0]);
  const float* y = static_cast<const float*>(arguments[1]);
  float* z = static_cast<float*>(arguments[2]);
  const float a = *static_cast<const float*>(arguments[3]);
  for (std::size_t i = 0; i < lengths[2]; ++i) z[i] = a * x[i] + y[i];
}
)reference";

// Returns the spec with the name of its files in place of NAME.
std::string named_spec(std::string_view name) {
  constexpr std::string_view kPlace = "NAME";
  std::string text(kSpec);
  for (std::size_t at = text.find(kPlace); at != std::string::npos; at = text.find(kPlace, at + name.size()))
    text.replace(at, kPlace.size(), name);
  return text;
}

}  // namespace

Template starting_point(std::string_view name) { return {named_spec(name), kOpenClKernel, kCudaKernel, kReference}; }

}  // namespace wattune::spec
