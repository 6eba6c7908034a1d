// The spec of an application's kernel `scale(x, n, by)`, which multiplies n floats in work-groups of BLOCK.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "wattune/core/kernel_spec.h"

namespace wattune::test {

inline KernelSpec scale_spec(Language language, std::string text, int n, std::vector<Parameter> parameters) {
  KernelSpec spec;
  spec.name = "scale";
  spec.source = {.language = language, .function = "scale", .text = std::move(text)};
  spec.problem_size = {{"n", n}};
  spec.geometry.convention = GeometryConvention::divided;
  spec.geometry.sizes[0] = {"n"};
  spec.geometry.work_group[0] = {"BLOCK"};
  spec.geometry.divisors[0] = {{"BLOCK"}};
  spec.arguments = {{"x", VectorArgument{.length = {"n"}, .access = ArgumentAccess::read_write}, {}},
                    {"n", ScalarArgument{.type = ElementType::int32, .value = {"n"}}, {}},
                    {"by", ScalarArgument{.type = ElementType::float32, .value = {"2.0"}}, {}}};
  spec.parameters = std::move(parameters);
  return spec;
}

}  // namespace wattune::test
