// A company of two kernels, `one` and `two`, on a device that runs C++ functions. A test decides how each behaves
// alone.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "company/company_evaluator.h"
#include "fakes/fake_device.h"
#include "tune/tuner_fakes.h"

namespace wattune::inline v0_1::company {

// Returns the spec of a kernel that writes 1 in blocks of BLOCK, with further parameters if a test wants them.
inline KernelSpec writing_spec(const std::string& name, std::vector<Parameter> more = {}) {
  KernelSpec spec;
  spec.name = name;
  spec.source.function = name;
  spec.source.text = name;
  spec.arguments = {
      {"y",
       VectorArgument{
           .type = ElementType::float32, .length = {"64"}, .access = ArgumentAccess::write_only, .fields = {}},
       {}}};
  spec.geometry.sizes.front() = {"64", {}};
  spec.geometry.work_group.front() = {"BLOCK", {}};
  spec.parameters = {{"BLOCK", {16, 32, 64}, Value(std::int64_t{32}), {}}};
  for (Parameter& each : more) spec.parameters.push_back(std::move(each));
  return spec;
}

// The result of a member's own configuration alone.
using Alone = std::function<Result<Observation>(const Configuration& own)>;

inline Soloist soloist_of(Alone alone) {
  return Soloist({nullptr, nullptr, std::make_unique<tune::FunctionEvaluator>(std::move(alone))});
}

// Returns a correct result whose time is one microsecond for each thread of the block.
inline Result<Observation> alone_by_block(const Configuration& own) {
  return tune::measured(1000.0 * own.find("BLOCK")->as_real());
}

}  // namespace wattune::company
