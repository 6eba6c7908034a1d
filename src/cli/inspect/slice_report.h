// Reports on the twins that `wattune slice` made, as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/interface/compile.h"
#include "slice/interface/twins.h"

namespace wattune::cli {

struct SliceReport {
  std::string file;
  std::string architecture;
  const std::vector<slice::KernelAnalysis>& kernels;
  const std::vector<slice::TwinForm>& forms;  // the forms of twins that were requested
  const slice::TwinModule& module;
  const std::optional<backend::AssembledKernels>& assembled;  // resources of the twins; absent without an assembler
};

std::string slice_text(const SliceReport& report);
std::string slice_json(const SliceReport& report);

}  // namespace wattune::cli
