// KernelSpec: everything about one tuning problem that the user wrote, as plain values.
//
// Read from TOML or T1 by spec, or filled in by an application. Texts that hold expressions in the tuning
// parameters (sizes, geometry, scalar values) stay texts here; tune compiles them once per run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "wattune/core/language.h"
#include "wattune/core/objective.h"
#include "wattune/core/parameter.h"
#include "wattune/core/sampling.h"

namespace wattune {

// An expression in the parameters and the problem size, with its place in the user's file.
struct ExpressionText {
  std::string text;
  SourcePosition position;
};

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

std::size_t size_in_bytes(ElementType type);
std::string_view to_string(ElementType type);  // "float32"
// Accepts the names above and C's and T1's: float, double, half, int, uint, char, ... nullopt for anything else.
std::optional<ElementType> parse_element_type(std::string_view name);

enum class ArgumentAccess { read_only, write_only, read_write };

// How the elements of a vector argument get their first values.
struct FillConstant {
  double value = 0.0;
};
// Uniform in [low, high); the same seed gives the same data on every machine.
struct FillUniform {
  double low = 0.0;
  double high = 1.0;
  std::uint64_t seed = 0;  // 0: derived from the argument's position
};
// Normal, as the sum of twelve uniform numbers, so that the bits are the same on every machine.
struct FillNormal {
  double mean = 0.0;
  double deviation = 1.0;
  std::uint64_t seed = 0;  // 0: derived from the argument's position
};
// Element i is start + i * step.
struct FillIota {
  double start = 0.0;
  double step = 1.0;
};
// Element i is the value of an expression in `i`.
struct FillExpression {
  ExpressionText expression;
};
// The bytes of a file: raw little-endian elements, or NumPy's .npy.
struct FillFile {
  std::filesystem::path path;
};
using Fill = std::variant<FillConstant, FillUniform, FillNormal, FillIota, FillExpression, FillFile>;

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

// How `sizes` of the geometry are meant.
enum class GeometryConvention {
  opencl,  // sizes = global size in work-items; must be a multiple of the work-group
  cuda,    // sizes = the grid in blocks
  divided  // sizes = the problem; the grid is ceil(problem / product of divisors) in each dimension
};

// Empty expressions mean 1, and for `divisors` no division.
struct Geometry {
  GeometryConvention convention = GeometryConvention::opencl;
  std::array<ExpressionText, 3> sizes;
  std::array<ExpressionText, 3> work_group;  // OpenCL's local size, CUDA's block
  std::array<std::vector<ExpressionText>, 3> divisors;
  std::array<ExpressionText, 3> cluster;  // CUDA: blocks of a thread block cluster
  bool cooperative = false;               // CUDA: all blocks at once, so that the grid can be synchronised
};

// What a launch gives a scalar argument in the place of its value.
struct LaunchValue {
  std::size_t argument = 0;  // position in KernelSpec::arguments
  ExpressionText value;
};

// One of several launches, or a series of them: a function of the source on some of the arguments, or a group.
struct LaunchStep {
  std::string function;                // empty: the source's own
  std::vector<std::size_t> arguments;  // positions in KernelSpec::arguments, in the function's order
  Geometry geometry;
  ExpressionText condition;    // left out where it does not hold; empty: always launched
  ExpressionText repeat = {};  // how often it is launched, one after another; empty: once
  std::string index = {};      // in its expressions, the number of the repetition, from 0; empty: no name for it
  std::vector<LaunchValue> values = {};
  // Buffers that change places after each repetition: each argument gets the next one's buffer, the last the first's.
  std::vector<std::vector<std::size_t>> swaps = {};
  std::vector<LaunchStep> group = {};  // launched in its place, one after another: then it has no function
};

// Which compiler turns a source into code.
enum class Compiler {
  standard,  // OpenCL: the driver's; CUDA: NVRTC
  nvcc       // CUDA's, as a program
};

// How a source gets the tuning parameters.
enum class ParameterStyle {
  macros,    // #define NAME VALUE
  constants  // CUDA: constexpr int NAME = VALUE; texts stay macros
};

// How a function on the host is called: its compiler must know the types, and takes them from the spec.
struct CallArgument {
  std::string name;
  std::string type;  // in C: "float*", "int", "struct { int a; float b; }"; "void*": a pointer of any type
};
struct FunctionCall {
  std::string function;
  std::vector<CallArgument> arguments;
};

// A source file and the function in it, with others that are launched too: compilers make instances of templates for
// those that are asked for only. `text` is what gets compiled; `file` is for messages and #include.
struct KernelSource {
  Language language = Language::opencl;
  std::string function;
  std::vector<std::string> other_functions;
  std::filesystem::path file;
  std::string text;
  std::vector<std::string> options;  // compile options, passed as they are
  Compiler compiler = Compiler::standard;
  ParameterStyle parameter_style = ParameterStyle::macros;
  std::vector<FunctionCall> calls = {};                   // C and C++: of every function
  std::map<std::string, ParameterStyle> own_styles = {};  // of parameters that go another way, by name
};

// Another kernel that computes the right answer.
struct ReferenceKernel {
  KernelSource source;
  Geometry geometry;
  std::vector<std::size_t> arguments;  // positions in KernelSpec::arguments; empty: those of the first launch
};
// A C++ file with `extern "C" void FUNCTION(void* const* arguments, const std::size_t* lengths)`; arguments[i] is
// the data of vector i or the address of scalar or struct i, lengths[i] its elements; outputs are written in place.
struct ReferenceFunction {
  std::filesystem::path file;
  std::string function = "reference";
};
// Expected contents of one output, by argument name.
struct ReferenceData {
  std::vector<std::pair<std::string, std::filesystem::path>> outputs;
};
using Reference = std::variant<std::monostate, ReferenceKernel, ReferenceFunction, ReferenceData>;

// |actual - expected| <= absolute + relative * |expected|, element by element. Unset: by element type.
struct Tolerance {
  std::optional<double> absolute;
  std::optional<double> relative;
};

// Limits on the search that the spec itself asks for; the command line overrides them.
struct Budget {
  std::optional<std::uint64_t> evaluations;
  std::optional<double> seconds;
  std::optional<double> fraction;  // of the valid configurations, in (0, 1]
};

// One extent of the problem, by the name it has in expressions.
struct NamedSize {
  std::string name;
  std::int64_t value = 0;
};

// A figure computed from each measurement: an expression in `time` (the median, in seconds), the parameters, the
// extents of the problem, what the kernel takes (`registers` and the like) and the metrics before it.
struct MetricDefinition {
  std::string name;
  ExpressionText expression;
};

struct KernelSpec {
  std::string name;  // for people and file names; that of the spec's file unless it says otherwise
  KernelSource source;
  std::vector<KernelSource> alternatives;  // the same kernel in other languages; the device decides which one runs
  std::vector<NamedSize> problem_size;  // unnamed ones are problem_size_x, _y, _z; also ProblemSize[i] in expressions
  Geometry geometry;
  std::vector<LaunchStep> steps;  // one after another; empty: `source.function` on all arguments, by `geometry`
  std::vector<Argument> arguments;
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  // On what the compiled kernel takes (resource_names()), tested before it is launched.
  std::vector<ExpressionText> resource_constraints;
  Reference reference;
  std::optional<double> reference_seconds;  // longest time that the reference may take
  Tolerance tolerance;
  Budget budget;
  std::vector<MetricDefinition> metrics;
  std::vector<Objective> objectives;  // what the search wants, the first above all; empty: the least time
  std::string strategy;               // preferred strategy by name; empty: the program's default
  std::filesystem::path file;         // the spec's own file; empty when made in code
};

// The metrics of what a compiled kernel takes, as far as a backend tells them.
const std::vector<std::string>& resource_names();

// Makes the source in one of these languages, of which there is at least one, the spec's own. mismatch when it has
// none.
Result<void> use_language(KernelSpec& spec, const std::vector<Language>& languages);

// What one run launches, one after another, each with its function: the steps, or the one launch without them.
std::vector<LaunchStep> launches_of(const KernelSpec& spec);
// The same without groups: what is in them, each once.
std::vector<LaunchStep> single_launches_of(const KernelSpec& spec);

// The spec's own source with the functions of all its launches, whether their conditions hold or not.
KernelSource launched_source(const KernelSpec& spec);

// A source in C or C++ that knows how these launches call its functions; others as they are.
KernelSource with_calls(KernelSource source, const KernelSpec& spec, const std::vector<LaunchStep>& launches);

// Those of these arguments, by position, that are parameters of the kernel: CUDA kernels get neither local memory nor
// constant symbols nor samplers as parameters.
std::vector<std::size_t> parameters_of(const KernelSpec& spec, const std::vector<std::size_t>& arguments);

}  // namespace wattune
