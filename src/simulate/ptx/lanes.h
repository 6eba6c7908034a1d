// Builds handlers that apply a function of values to each lane.
//
//   template <class T> T add(T a, T b);
//   ... return lanewise<add<std::uint32_t>>;
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "simulate/ptx/warp.h"

namespace wattune::inline v0_1::simulate::ptx {

// The column of an operand, accessed by lane: values, or bits for a predicate.
template <class T>
struct Column {
  T* values;
  Column(Warp& warp, const Operand& operand, LaneMask /*flip*/) : values(warp.column<T>(operand)) {}
  T operator[](unsigned lane) const { return values[lane]; }
};
template <>
struct Column<bool> {
  LaneMask mask;
  Column(Warp& warp, const Operand& operand, LaneMask flip) : mask(warp.predicate(operand) ^ flip) {}
  bool operator[](unsigned lane) const { return (mask >> lane & 1) != 0; }
};

template <auto function>
struct Lanewise;

template <class D, class... S, D (*function)(S...)>
struct Lanewise<function> {
  static void run(Warp& warp, const Operation& operation, LaneMask lanes) {
    run(warp, operation, lanes, std::index_sequence_for<S...>());
  }

  template <std::size_t... index>
  static void run(Warp& warp, const Operation& operation, LaneMask lanes, std::index_sequence<index...> /*indices*/) {
    const std::tuple<Column<S>...> sources{Column<S>(warp, operation.operands[index + 1], operation.flip)...};
    if constexpr (std::is_same_v<D, bool>) {
      LaneMask result = 0;
      for_lanes(lanes, [&](unsigned lane) { result |= LaneMask{function(std::get<index>(sources)[lane]...)} << lane; });
      warp.set_predicate(operation.operands[0], lanes, result);
    } else {
      D* const destination = warp.column<D>(operation.operands[0]);
      for_lanes(lanes, [&](unsigned lane) { destination[lane] = function(std::get<index>(sources)[lane]...); });
    }
  }
};

template <auto function>
constexpr Handler lanewise = &Lanewise<function>::run;

}  // namespace wattune::simulate::ptx
