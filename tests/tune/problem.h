// The tuning problem of these tests, on a fake device: y = factor * x over 64 floats, by kernel `scale`.
//
// x is 0, 1, 2, ... (read_only), y write_only, factor 3. The parameter `block` gives the work-group, `mode` selects
// what the kernel does, 0 being the right thing.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "fakes/fake_device.h"
#include "wattune/measure/policy.h"
#include "wattune/space/search_space.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::tune {

inline ExpressionText at_line(std::string text, int line) { return {std::move(text), {"spec.toml", line, 1}}; }

inline Argument vector_argument(const std::string& name, ArgumentAccess access, Fill fill = FillConstant{}) {
  VectorArgument vector;
  vector.length = at_line("n", 10);
  vector.access = access;
  vector.fill = std::move(fill);
  return {name, std::move(vector), {"spec.toml", 10, 1}};
}

inline KernelSpec scale_spec() {
  KernelSpec spec;
  spec.source.function = "scale";
  spec.source.text = "kernel void scale(global float* y, global const float* x, float factor)";
  spec.problem_size = {{"n", 64}};
  spec.geometry.sizes[0] = at_line("n", 20);
  spec.geometry.work_group[0] = at_line("block", 21);
  spec.arguments = {vector_argument("y", ArgumentAccess::write_only),
                    vector_argument("x", ArgumentAccess::read_only, FillIota{}),
                    {"factor", ScalarArgument{ElementType::float32, at_line("3", 12)}, {"spec.toml", 12, 1}}};
  spec.parameters = {{"block", {8, 16, 64}, {}, {}}, {"mode", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {}, {}}};
  return spec;
}

inline Result<Nanoseconds> scale(const fakes::FakeLaunch& launch) {
  const auto y = launch.elements<float>(0);
  const auto x = launch.elements<float>(1);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = launch.scalar<float>(2) * x[i];
  return Nanoseconds(1000.0);
}

inline space::SearchSpace space_of(const KernelSpec& spec) {
  return space::SearchSpace::build(spec.parameters, spec.constraints).value();
}

// Returns a policy of seven samples without warm-up.
inline std::unique_ptr<measure::MeasurePolicy> quick_policy() {
  measure::SamplingOptions options;
  options.warm_up = Nanoseconds(0);
  return measure::make_repeated_runs(options);
}

// A spec with its space and an evaluator on a fake device.
struct Problem {
  explicit Problem(KernelSpec kernel_spec = scale_spec(), fakes::FakeKernelFunction kernel = scale,
                   const DeviceInfo& device_info = fakes::FakeDevice().info())
      : spec(std::move(kernel_spec)), device(device_info) {
    device.add_kernel("scale", 3, std::move(kernel));
  }

  Result<void> start(const EvaluatorOptions& options = {}) {
    WATTUNE_ASSIGN(evaluator, make_evaluator(spec, space, device, *policy, options));
    return {};
  }
  // Evaluates a configuration. Precondition: start() succeeded.
  Result<Observation> evaluate(int block, int mode) {
    const std::vector<std::pair<std::string, Value>> values{{"block", block}, {"mode", mode}};
    return evaluator->evaluate(space.configuration(space.find(values).value()));
  }

  KernelSpec spec;
  space::SearchSpace space = space_of(spec);
  fakes::FakeDevice device;
  std::unique_ptr<measure::MeasurePolicy> policy = quick_policy();
  std::unique_ptr<Evaluator> evaluator;
};

}  // namespace wattune::tune
