// KernelSpec: everything about one tuning problem that the user wrote, as plain values.
//
// Read from TOML or T1 by spec, or filled in by an application, which owns it. Texts that hold expressions in the
// tuning parameters (sizes, geometry, scalar values) stay texts here; tune compiles them once per run. The parts have
// headers of their own, which this one includes.
//
//   KernelSpec spec;
//   spec.source = {.language = Language::opencl, .function = "scale", .text = text};
//   spec.parameters = {{.name = "block", .values = {32, 64, 128}}};
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "wattune/core/argument.h"
#include "wattune/core/kernel_source.h"
#include "wattune/core/launch_step.h"
#include "wattune/core/objective.h"
#include "wattune/core/parameter.h"
#include "wattune/core/reference.h"

namespace wattune {

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

// The names that Wattune itself gives to figures of a measurement: `time`, resource_names(), what a board tells, and
// what is made of these. No parameter or extent may have one, because expressions would read the one for the other.
const std::vector<std::string>& figure_names();

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
