// Where CUDA's toolkits are on this machine. Their programs: find_toolkit_program() (wattune/backend/compile.h).
#pragma once

#include <string>
#include <vector>

namespace wattune::backend::cuda {

// Folders that may hold a toolkit: those that CUDA_HOME and CUDA_PATH name, then /usr/local/cuda.
std::vector<std::string> toolkit_folders();
// The folder with CUDA's own headers (cuda_fp16.h) that goes with this machine's toolkit; empty when there is none.
std::string toolkit_include_folder();

}  // namespace wattune::backend::cuda
