// The things that declare a search space and its goal: Parameter, Constraint and Objective, as plain values.
//
//   const Parameter block{.name = "block", .values = {32, 64, 128}};
//   const Constraint fits{.expression = "block * tile <= 1024"};
//   const Objective least_energy{.metric = "energy"};
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/result.h"
#include "wattune/core/value.h"

namespace wattune::inline v0_1 {

// The receiver of a parameter's value. Only parameters of the role `code` are compiled in: configurations that differ
// only in parameters of other roles share an image.
enum class ParameterRole {
  code,            // a macro of the kernel
  launch,          // the spec's expressions alone, such as the geometry
  graphics_clock,  // the board, in MHz
  memory_clock,    // the board, in MHz
  power_limit      // the board, in W
};

inline constexpr ParameterRole kAllRoles[] = {ParameterRole::code, ParameterRole::launch, ParameterRole::graphics_clock,
                                              ParameterRole::memory_clock, ParameterRole::power_limit};

WATTUNE_EXPORT std::string_view to_string(ParameterRole role);  // "graphics_clock"
WATTUNE_EXPORT std::optional<ParameterRole> parse_parameter_role(std::string_view name);

// Returns the role that a parameter of this name has by default. Kernel Tuner's names nvml_gr_clock, nvml_mem_clock and
// nvml_pwr_limit give the roles graphics_clock, memory_clock and power_limit. Every other name gives the role `code`.
WATTUNE_EXPORT ParameterRole usual_role(std::string_view parameter);

// Tells whether the role is that of a clock or of the power limit.
constexpr bool is_set_on_board(ParameterRole role) { return role >= ParameterRole::graphics_clock; }

// A tuning parameter with the values it may take, in the order the user gave them. Values are distinct.
struct WATTUNE_EXPORT Parameter {
  std::string name;
  std::vector<Value> values;
  std::optional<Value> default_value;  // part of the default configuration; one of `values`
  SourcePosition position;             // place of the user's declaration
  ParameterRole role = ParameterRole::code;

  friend bool operator==(const Parameter& a, const Parameter& b) { return a.name == b.name && a.values == b.values; }
};

// A condition that every valid configuration meets, in Kernel Tuner's string syntax (docs/formats/expressions.md).
struct WATTUNE_EXPORT Constraint {
  std::string expression;
  SourcePosition position;  // place of the expression's first character
};

// A metric that a search minimises or maximises.
struct WATTUNE_EXPORT Objective {
  std::string metric;  // name of one of the spec's metrics, or `time`
  bool maximize = false;
  // The slowdown limit, which only the first objective has. A configuration counts only if it takes at most this share
  // longer than the fastest known one (0.05 for 5 %). It may cease to count when a faster one is found. All count
  // without a limit.
  std::optional<double> slowdown = {};

  bool operator==(const Objective&) const = default;
};

// Returns the slowdown limit of the first objective, which leads the search.
inline std::optional<double> slowdown_of(const std::vector<Objective>& objectives) {
  return objectives.empty() ? std::nullopt : objectives.front().slowdown;
}

}  // namespace wattune
