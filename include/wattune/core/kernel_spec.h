// KernelSpec: all that the user wrote about one tuning problem, as plain values. Its parts are the source, the
// arguments, the launches (Geometry, LaunchStep), the parameters, the reference (Reference, Tolerance), the budget and
// the metrics.
//
// It is read from TOML or T1 by `spec`, or filled in by an application. The holder owns it. Texts that hold expressions
// in the tuning parameters (sizes, geometry, scalar values) stay texts here; `tune` compiles them once per run.
//
//   KernelSpec spec;
//   spec.source = {.language = Language::opencl, .function = "scale", .text = text};
//   spec.parameters = {{.name = "block", .values = {32, 64, 128}}};
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "wattune/core/argument.h"
#include "wattune/core/export.h"
#include "wattune/core/kernel_source.h"
#include "wattune/core/parameter.h"

namespace wattune::inline v0_1 {

// Bytes with shared ownership.
using SharedBytes = std::shared_ptr<const std::vector<std::byte>>;

// The meaning of `sizes` of the geometry.
enum class GeometryConvention {
  opencl,  // sizes = global size in work-items; must be a multiple of the work-group
  cuda,    // sizes = the grid in blocks
  divided  // sizes = the problem; the grid is ceil(problem / product of divisors) in each dimension
};

// The geometry of a launch. Empty expressions mean 1, and for `divisors` no division.
struct WATTUNE_EXPORT Geometry {
  GeometryConvention convention = GeometryConvention::opencl;
  std::array<ExpressionText, 3> sizes;
  std::array<ExpressionText, 3> work_group;  // the local size in OpenCL, the thread block in CUDA
  std::array<std::vector<ExpressionText>, 3> divisors;
  std::array<ExpressionText, 3> cluster;  // CUDA: blocks of a thread block cluster
  bool cooperative = false;               // CUDA: all blocks run at once, so that the grid can synchronise
};

// The value that a launch gives a scalar argument in place of the argument's own.
struct WATTUNE_EXPORT LaunchValue {
  std::size_t argument = 0;  // position in KernelSpec::arguments
  ExpressionText value;
};

// A step of a run: one or several launches of a function of the source on some of the arguments, or a group of steps.
struct WATTUNE_EXPORT LaunchStep {
  std::string function;                // function that is launched; that of the source if empty
  std::vector<std::size_t> arguments;  // positions in KernelSpec::arguments, in the function's order
  Geometry geometry;
  ExpressionText condition;    // condition under which the step is launched; if empty, it always is
  ExpressionText repeat = {};  // number of launches, one after another; if empty, one launch
  std::string index = {};      // the name of the repetition's number (from 0) in its expressions; empty for no name
  std::vector<LaunchValue> values = {};
  // The buffers that change places after each repetition. Each argument gets the next one's buffer, and the last one
  // gets the first's.
  std::vector<std::vector<std::size_t>> swaps = {};
  std::vector<LaunchStep> group = {};  // steps that are launched in place of this one, which then has no function
};

// Another kernel, which computes the right answer.
struct WATTUNE_EXPORT ReferenceKernel {
  KernelSource source;
  Geometry geometry;
  std::vector<std::size_t> arguments;  // positions in KernelSpec::arguments; if empty, as in the first launch
};
// A C++ file with `extern "C" void FUNCTION(void* const* arguments, const std::size_t* lengths)`. arguments[i] is the
// data of vector i or the address of scalar or struct i, and lengths[i] the number of its elements. Outputs are written
// in place.
struct WATTUNE_EXPORT ReferenceFunction {
  std::filesystem::path file;
  std::string function = "reference";
};
// The expected contents of outputs, by argument name: in files, or in memory, as the elements lie there.
struct WATTUNE_EXPORT ReferenceData {
  std::vector<std::pair<std::string, std::filesystem::path>> outputs;
  std::vector<std::pair<std::string, SharedBytes>> arrays = {};
};
// The source of the right answer: none, another kernel, a C++ function or data.
using Reference = std::variant<std::monostate, ReferenceKernel, ReferenceFunction, ReferenceData>;

// The bound |actual - expected| <= absolute + relative * |expected| of each element. A bound that is not set is chosen
// by element type.
struct WATTUNE_EXPORT Tolerance {
  std::optional<double> absolute;
  std::optional<double> relative;
};

// Limits of the search that the spec contains. A stop rule that the caller gives replaces all of them.
struct WATTUNE_EXPORT Budget {
  std::optional<std::uint64_t> evaluations;
  std::optional<double> seconds;
  std::optional<double> fraction;  // share of the valid configurations, in (0, 1]
};

// One extent of the problem, by its name in expressions.
struct WATTUNE_EXPORT NamedSize {
  std::string name;
  std::int64_t value = 0;
};

// A metric that is computed from each measurement. Its expression may use `time` (the median, in seconds), the
// parameters, the extents of the problem, the resources of the kernel (`registers` and the like) and the metrics before
// it.
struct WATTUNE_EXPORT MetricDefinition {
  std::string name;
  ExpressionText expression;
};

// A tuning problem.
struct WATTUNE_EXPORT KernelSpec {
  std::string name;  // for people and file names; by default that of the spec's file
  KernelSource source;
  std::vector<KernelSource> alternatives;  // the same kernel in other languages; the device decides which one runs
  std::vector<NamedSize> problem_size;  // unnamed ones are problem_size_x, _y, _z; also ProblemSize[i] in expressions
  Geometry geometry;
  std::vector<LaunchStep> steps;  // run one after another; if empty, `source.function` on all arguments, by `geometry`
  std::vector<Argument> arguments;
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  // Limits on the resources of the compiled kernel (resource_names()). They are tested before it is launched.
  std::vector<ExpressionText> resource_constraints;
  Reference reference;
  std::optional<double> reference_seconds;  // longest time that the reference may take
  Tolerance tolerance;
  Budget budget;
  std::vector<MetricDefinition> metrics;
  std::vector<Objective> objectives;  // the goals of the search, the most important first; the least time if empty
  std::string strategy;               // preferred strategy by name; the program's default if empty
  std::filesystem::path file;         // the spec's own file; empty if made in code
};

// Returns the names of the metrics of a compiled kernel's resources. A backend records those that it can.
WATTUNE_EXPORT const std::vector<std::string>& resource_names();

// Returns the names that Wattune itself gives to figures of a measurement. These are `time`, resource_names(), the
// readings of a board, and figures computed from them. No parameter or extent may have such a name, because expressions
// would confuse the two.
WATTUNE_EXPORT const std::vector<std::string>& figure_names();

// Sets the padding of vectors of three components by the language of the spec's own source. In OpenCL they take the
// room of four.
WATTUNE_EXPORT void pad_vectors(KernelSpec& spec);

// Replaces `spec.source` by the alternative in one of these languages, unless it is in one of them already.
// Precondition: `languages` is not empty. Fails with mismatch if the spec has no source in these languages.
WATTUNE_EXPORT Result<void> use_language(KernelSpec& spec, const std::vector<Language>& languages);

// Returns the launches of one run, in order, each with its function: the steps, or the single launch of a spec without
// steps.
WATTUNE_EXPORT std::vector<LaunchStep> launches_of(const KernelSpec& spec);
// Returns the launches of launches_of() with each group replaced by its members. Each member comes once.
WATTUNE_EXPORT std::vector<LaunchStep> single_launches_of(const KernelSpec& spec);

// Returns the source with the names of problem extents replaced by their values in the template arguments of its
// function. launches_of() does the same with the functions of steps.
WATTUNE_EXPORT KernelSource sized_source(const KernelSpec& spec, KernelSource source);

// Returns the spec's own source with the functions of all its launches, whether their conditions hold or not.
WATTUNE_EXPORT KernelSource launched_source(const KernelSpec& spec);

// Returns the source with the types by which these launches call its functions, if it is in C or C++. Other sources are
// returned unchanged.
WATTUNE_EXPORT KernelSource with_calls(KernelSource source, const KernelSpec& spec,
                                       const std::vector<LaunchStep>& launches);

// Returns the arguments, by position, that are parameters of the kernel. CUDA kernels get neither local memory nor
// constant symbols nor samplers as parameters.
WATTUNE_EXPORT std::vector<std::size_t> parameters_of(const KernelSpec& spec,
                                                      const std::vector<std::size_t>& arguments);

}  // namespace wattune
