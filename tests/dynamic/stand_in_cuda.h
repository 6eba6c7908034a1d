// A tunable kernel on the fake of CUDA's driver, where a launch takes a microsecond for each thread of a block.
#pragma once

#include "backend/cuda_support.h"
#include "raw_cuda.h"
#include "wattune/dynamic/tuner.h"

namespace wattune::inline v0_1::dynamic {

inline KernelSpec scale_on_stand_in(const std::string& name = "scale") {
  KernelSpec spec;
  spec.name = name;
  spec.source = backend::cuda_source(backend::kKernels, "scale");
  spec.problem_size = {{"n", 4}};
  spec.geometry.convention = GeometryConvention::divided;
  spec.geometry.sizes[0] = {"n"};
  spec.geometry.work_group[0] = {"BLOCK"};
  spec.geometry.divisors[0] = {{"BLOCK"}};
  spec.arguments = {{"x", VectorArgument{.length = {"n"}, .access = ArgumentAccess::read_write}, {}},
                    {"factor", ScalarArgument{.type = ElementType::float32, .value = {"2.0"}}, {}},
                    {"n", ScalarArgument{.type = ElementType::int32, .value = {"n"}}, {}}};
  spec.parameters = {{.name = "BLOCK", .values = {256, 128, 64, 32}}};
  return spec;
}

// Returns options with which the loading thread compiles, in this process.
inline TunerOptions in_this_process() {
  return {.budget = {.share = 1.0, .longest = nanoseconds_from_seconds(1)}, .compile_processes = 0};
}

inline KernelOptions trusted(Mode mode = Mode::automatic) {
  return {.policy = {.mode = mode, .safety = Safety::trusted}};
}

inline float* memory_of(const test::Application& application) { return reinterpret_cast<float*>(application.x()); }

}  // namespace wattune::dynamic
