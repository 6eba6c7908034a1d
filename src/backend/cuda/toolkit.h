// Where CUDA's toolkits are on this machine. Their programs: find_toolkit_program() (wattune/backend/compile.h).
#pragma once

#include <span>
#include <string>
#include <vector>

namespace wattune::backend::cuda {

// Folders that may hold a toolkit: those that CUDA_HOME and CUDA_PATH name, then /usr/local/cuda.
std::vector<std::string> toolkit_folders();
// Files to try for one of CUDA's libraries, by its names in the order of preference: wherever the loader finds it, then
// in the toolkits.
std::vector<std::string> library_candidates(std::span<const char* const> names);
// The folders with CUDA's own headers (cuda_fp16.h, cub/cub.cuh) that go with this machine's toolkit, as nvcc has them;
// empty when there is none.
std::vector<std::string> toolkit_include_folders();

}  // namespace wattune::backend::cuda
