// Reads what ptxas, the assembler, reports about each kernel with --ptxas-options=-v.
#pragma once

#include <map>
#include <string>

#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::cuda {

struct PtxasLog {
  std::map<std::string, KernelResources> kernels;  // resources of the kernels, by symbol
  std::string rest;                                // all other lines of the log
};

PtxasLog read_ptxas_log(const std::string& log);

}  // namespace wattune::backend::cuda
