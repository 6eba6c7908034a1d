// A CUDA device without a GPU: NVRTC compiles a spec's kernel to PTX, and the interpreter of PTX runs it.
//
// Owned by the test, which has one for each spec. Launches take no time.
//
//   InterpretedDevice interpreted(spec);
//   WATTUNE_ASSIGN(const auto evaluator, make_evaluator(spec, space, interpreted.device, *policy));
#pragma once

#include <map>
#include <string>

#include "fakes/fake_device.h"
#include "simulate/interface/ptx_costs.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::benchmarks_test {

// Tells whether NVRTC is installed.
bool compiles_cuda();

struct InterpretedDevice {
  explicit InterpretedDevice(const KernelSpec& spec);

  std::map<fakes::Macros, std::string> ptx;  // of each program built, by its macros
  simulate::PtxCosts costs;                  // of the last launch
  fakes::FakeDevice device;
};

}  // namespace wattune::benchmarks_test
