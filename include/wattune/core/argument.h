// One argument of a kernel, as the user wrote it. A value that owns its parts. Sizes are expressions in the parameters.
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

// The place where the kernel finds a buffer.
enum class BufferPlace {
  global,   // in global memory, by a parameter of the kernel
  constant  // in the CUDA __constant__ symbol of the argument's name; no parameter of the kernel
};

// The way in which an output is compared with the reference.
enum class OutputComparison {
  elements,  // each element by itself
  sum,       // the sum of all elements, for partial results whose order depends on parameters
  none
};

// A field of the structs in a buffer. Its fill counts structs.
struct BufferField {
  std::string name;
  ElementType type = ElementType::float32;
  Fill fill = FillConstant{};
};

// The properties of a buffer of pixels that kernels see as an image. OpenCL gets an image object. CUDA gets a texture
// object if the kernel only reads the image, and a surface object otherwise.
struct PixelImage {
  ImageType type = ImageType::image2d;
  std::array<ExpressionText, 3> sizes;  // width, height and depth in pixels; empty beyond its dimensions
  ChannelOrder order = ChannelOrder::rgba;
  bool normalized_channels = false;  // kernels see integers as reals from 0 to 1, or from -1
  Sampling sampling;                 // in CUDA, that of the texture
};

// A buffer. `length` counts elements of vector_width components each, or structs. It is empty for an image.
struct VectorArgument {
  ElementType type = ElementType::float32;
  unsigned vector_width = 1;
  ExpressionText length;
  ArgumentAccess access = ArgumentAccess::read_only;
  Fill fill = FillConstant{};
  BufferPlace place = BufferPlace::global;
  // The fields of a buffer of structs; empty otherwise. With fields, `type` and `vector_width` have no meaning, and
  // `fill` counts only if it is a file, which holds whole structs.
  std::vector<BufferField> fields;
  OutputComparison comparison = OutputComparison::elements;
  ExpressionText compared_length;  // elements from the beginning that are compared; all if empty
  std::optional<PixelImage> image = {};
};
// Returns the bytes from one element to the next.
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
// The offsets of the fields of a struct, by C's rules. Each field lies at the next multiple of its size, and the struct
// ends at a multiple of its largest field's size. CUDA, OpenCL and the host agree on it.
struct StructLayout {
  std::vector<std::size_t> offsets;  // of the fields, in bytes
  std::size_t bytes = 0;
};
StructLayout layout_of(const StructArgument& argument);
StructLayout layout_of(const std::vector<BufferField>& fields);

// Local memory (dynamic shared memory in CUDA). `length` counts elements and may use the parameters.
struct LocalArgument {
  ElementType type = ElementType::float32;
  ExpressionText length;
};

// A null pointer in the place of a buffer.
struct NullArgument {};

// A sampler of OpenCL. CUDA kernels have no such parameter.
struct SamplerArgument {
  Sampling sampling;
};

struct Argument {
  std::string name;
  std::variant<VectorArgument, ScalarArgument, StructArgument, LocalArgument, NullArgument, SamplerArgument> kind;
  SourcePosition position;
};

}  // namespace wattune
