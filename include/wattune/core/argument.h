// Argument: one argument of a kernel, as the user wrote it. It is a vector, a scalar, a struct, local memory, a null
// pointer or a sampler. ElementType is the type of its elements, Fill the rule for its first contents, and PixelImage
// makes it an image.
//
// All are values that own their parts. Sizes are expressions in the parameters.
//
//   Argument x{"x", VectorArgument{.type = ElementType::float32, .length = {"n"}}};
//   Argument n{"n", ScalarArgument{.type = ElementType::int32, .value = {"n"}}};
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/kernel_source.h"
#include "wattune/core/value.h"

namespace wattune::inline v0_1 {

// The type of the elements of an argument.
enum class ElementType {
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  bfloat16,
  float32,
  float64
};

WATTUNE_EXPORT std::size_t size_in_bytes(ElementType type);
WATTUNE_EXPORT std::string_view to_string(ElementType type);  // "float32"
WATTUNE_EXPORT std::string_view c_name(ElementType type);     // the name in OpenCL C and in specs: "float", "ulong"
// Parses the names that to_string() and c_name() return, and "bool" and "unsigned". Returns nullopt for anything else.
WATTUNE_EXPORT std::optional<ElementType> parse_element_type(std::string_view name);

// The same number for every element. A number from 2^63 to 2^64 - 1 is given as a text of its digits.
struct WATTUNE_EXPORT FillConstant {
  Value value = 0.0;
};
// Uniform random numbers in [low, high). The same seed gives the same data on every machine.
struct WATTUNE_EXPORT FillUniform {
  double low = 0.0;
  double high = 1.0;
  std::optional<std::uint64_t> seed = {};  // derived from the argument's position if absent

  bool operator==(const FillUniform&) const = default;
};
// Normal random numbers, made as the sum of twelve uniform ones, so that the bits are the same on every machine.
struct WATTUNE_EXPORT FillNormal {
  double mean = 0.0;
  double deviation = 1.0;
  std::optional<std::uint64_t> seed = {};  // derived from the argument's position if absent

  bool operator==(const FillNormal&) const = default;
};
// Element i is start + i * step.
struct WATTUNE_EXPORT FillIota {
  double start = 0.0;
  double step = 1.0;
};
// Element i is the value of an expression in `i`.
struct WATTUNE_EXPORT FillExpression {
  ExpressionText expression;
};
// The bytes of a file: raw little-endian elements, or NumPy's .npy.
struct WATTUNE_EXPORT FillFile {
  std::filesystem::path path;
};
// The rule by which the elements of a vector argument get their first values.
using Fill = std::variant<FillConstant, FillUniform, FillNormal, FillIota, FillExpression, FillFile>;

// The kinds of images, by OpenCL's names. CUDA has arrays in their place, and linear memory for image1d_buffer.
enum class ImageType { image1d, image2d, image3d, image1d_buffer };

// The channels of a pixel in memory. CUDA has r, rg and rgba.
enum class ChannelOrder { r, a, intensity, luminance, rg, ra, rgba, bgra, argb };

// The meaning of coordinates beyond an image.
enum class AddressMode {
  edge,    // the nearest pixel
  border,  // zeros
  repeat,  // the image again; needs normalised coordinates
  mirror   // the image mirrored; needs normalised coordinates
};

// The value of a sample between pixels: that of the nearest pixel, or interpolated.
enum class FilterMode { nearest, linear };

// The way in which a kernel samples an image: OpenCL's sampler, the properties of CUDA's texture object.
struct WATTUNE_EXPORT Sampling {
  AddressMode address = AddressMode::edge;
  FilterMode filter = FilterMode::nearest;
  bool normalized_coordinates = false;  // true if coordinates go from 0 to 1 across the image, not by pixels

  bool operator==(const Sampling&) const = default;
};

// The accesses of the kernel to a buffer.
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

// A field of the structs in a buffer. Its fill gives the field of struct i the value of element i.
struct WATTUNE_EXPORT BufferField {
  std::string name;
  ElementType type = ElementType::float32;
  Fill fill = FillConstant{};
};

// The properties of a buffer of pixels that kernels see as an image. OpenCL gets an image object. CUDA gets a texture
// object if the kernel only reads the image, and a surface object otherwise.
struct WATTUNE_EXPORT PixelImage {
  ImageType type = ImageType::image2d;
  std::array<ExpressionText, 3> sizes;  // width, height, depth in pixels; empty beyond the image's dimensions
  ChannelOrder order = ChannelOrder::rgba;
  bool normalized_channels = false;  // kernels see integers as reals: unsigned ones from 0 to 1, signed ones from -1
  Sampling sampling;                 // in CUDA, the sampling of the texture
};

// A buffer. `length` counts elements of vector_width components each, or structs; for an image `length` is empty.
struct WATTUNE_EXPORT VectorArgument {
  ElementType type = ElementType::float32;
  unsigned vector_width = 1;
  ExpressionText length;
  ArgumentAccess access = ArgumentAccess::read_only;
  Fill fill = FillConstant{};
  BufferPlace place = BufferPlace::global;
  // The fields of a buffer of structs; empty otherwise. With fields, `type` and `vector_width` have no meaning, and
  // `fill` is used only if it is a file, which then holds whole structs.
  std::vector<BufferField> fields;
  OutputComparison comparison = OutputComparison::elements;
  ExpressionText compared_length;  // elements from the beginning that are compared; all if empty
  std::optional<PixelImage> image = {};
  // Components behind each element that are neither filled nor compared. pad_vectors() sets them.
  std::size_t padding = 0;
};
// Returns the bytes from one element to the next.
WATTUNE_EXPORT std::size_t element_bytes(const VectorArgument& argument);
// A number passed by value.
struct WATTUNE_EXPORT ScalarArgument {
  ElementType type = ElementType::int32;
  ExpressionText value;
};
// A field of a struct passed by value.
struct WATTUNE_EXPORT StructField {
  std::string name;
  ScalarArgument scalar;
};
// A struct passed by value, or a vector of numbers.
struct WATTUNE_EXPORT StructArgument {
  std::vector<StructField> fields;
  bool is_vector = false;   // true if the fields are the components of one vector
  std::size_t padding = 0;  // components behind those of a vector; pad_vectors() sets them
};
// The offsets of the fields of a struct, by C's rules. Each field lies at the next multiple of its size, and the struct
// ends at a multiple of its largest field's size. CUDA, OpenCL and the host agree on it.
struct WATTUNE_EXPORT StructLayout {
  std::vector<std::size_t> offsets;  // offsets of the fields, in bytes
  std::size_t bytes = 0;
};
WATTUNE_EXPORT StructLayout layout_of(const StructArgument& argument);
WATTUNE_EXPORT StructLayout layout_of(const std::vector<BufferField>& fields);

// Local memory (dynamic shared memory in CUDA). `length` counts elements and may use the parameters.
struct WATTUNE_EXPORT LocalArgument {
  ElementType type = ElementType::float32;
  ExpressionText length;
};

// A null pointer in the place of a buffer.
struct WATTUNE_EXPORT NullArgument {};

// A sampler of OpenCL. CUDA kernels have no such parameter.
struct WATTUNE_EXPORT SamplerArgument {
  Sampling sampling;
};

// One argument of a kernel.
struct WATTUNE_EXPORT Argument {
  std::string name;
  std::variant<VectorArgument, ScalarArgument, StructArgument, LocalArgument, NullArgument, SamplerArgument> kind;
  SourcePosition position;
};

}  // namespace wattune
