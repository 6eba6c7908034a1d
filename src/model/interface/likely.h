// Likely is a value with the range in which it lies with 95 % probability. It is a value; any thread may use it.
//
//   const model::Likely<Watts> power = prediction.power;
//   print(power.expected, power.low, power.high);
#pragma once

namespace wattune::inline v0_1::model {

template <typename Value>
struct Likely {
  Value expected{};
  Value low{};
  Value high{};
};

}  // namespace wattune::model
