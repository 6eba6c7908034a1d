// Argument: one argument of a kernel, as the user wrote it. Values; owned. Sizes are expressions in the parameters.
//
//   Argument x{"x", VectorArgument{.type = ElementType::float32, .length = {"n"}}};
//   Argument n{"n", ScalarArgument{.type = ElementType::int32, .value = {"n"}}};
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "wattune/core/element_type.h"
#include "wattune/core/expression_text.h"
#include "wattune/core/fill.h"
#include "wattune/core/sampling.h"

namespace wattune {

enum class ArgumentAccess { read_only, write_only, read_write };

// Where the kernel finds a buffer.
enum class BufferPlace {
  global,   // in global memory, by a parameter of the kernel
  constant  // in the CUDA __constant__ symbol of the argument's name; no parameter of the kernel
};

// What of an output is compared with the reference.
enum class OutputComparison {
  elements,  // one by one
  sum,       // of all elements, such as partial results in an order that depends on parameters
  none
};

// A field of the structs in a buffer; its fill counts structs.
struct BufferField {
  std::string name;
  ElementType type = ElementType::float32;
  Fill fill = FillConstant{};
};

// What makes a buffer of pixels an image. OpenCL: an image object; CUDA: a texture object where the kernel only reads
// it, a surface object otherwise.
struct PixelImage {
  ImageType type = ImageType::image2d;
  std::array<ExpressionText, 3> sizes;  // in pixels: width, height, depth; empty beyond its dimensions
  ChannelOrder order = ChannelOrder::rgba;
  bool normalized_channels = false;  // kernels see integers as reals from 0 to 1, or from -1
  Sampling sampling;                 // CUDA: the texture's
};

// A buffer. `length` counts elements of vector_width components each, or structs; that of an image is empty.
struct VectorArgument {
  ElementType type = ElementType::float32;
  unsigned vector_width = 1;
  ExpressionText length;
  ArgumentAccess access = ArgumentAccess::read_only;
  Fill fill = FillConstant{};
  BufferPlace place = BufferPlace::global;
  // Of structs: then `type` and `vector_width` mean nothing, and `fill` only as a file, which holds whole structs.
  std::vector<BufferField> fields;
  OutputComparison comparison = OutputComparison::elements;
  ExpressionText compared_length;  // elements from the beginning that are compared; empty: all
  std::optional<PixelImage> image = {};
};
// Bytes from one element to the next.
std::size_t element_bytes(const VectorArgument& argument);
struct ScalarArgument {
  ElementType type = ElementType::int32;
  ExpressionText value;
};
// A struct passed by value.
struct StructField {
  std::string name;
  ScalarArgument scalar;
};
struct StructArgument {
  std::vector<StructField> fields;
};
// Where the fields of a struct lie, by C's rules: each at the next multiple of its size, and the struct ends at a
// multiple of its largest field's. CUDA, OpenCL and the host agree on it.
struct StructLayout {
  std::vector<std::size_t> offsets;  // of the fields, in bytes
  std::size_t bytes = 0;
};
StructLayout layout_of(const StructArgument& argument);
StructLayout layout_of(const std::vector<BufferField>& fields);

// Local (CUDA: dynamic shared) memory; `length` counts elements and may use the parameters.
struct LocalArgument {
  ElementType type = ElementType::float32;
  ExpressionText length;
};

// A buffer that is not there: a null pointer.
struct NullArgument {};

// OpenCL: a sampler; no parameter of a CUDA kernel.
struct SamplerArgument {
  Sampling sampling;
};

struct Argument {
  std::string name;
  std::variant<VectorArgument, ScalarArgument, StructArgument, LocalArgument, NullArgument, SamplerArgument> kind;
  SourcePosition position;
};

}  // namespace wattune
