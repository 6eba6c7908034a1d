// Finds CUDA's toolkits on this machine. find_toolkit_program() (backend/interface/compile.h) finds their programs.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace wattune::inline v0_1::backend::cuda {

// Returns the folders that may hold a toolkit: those that CUDA_HOME and CUDA_PATH name, then /usr/local/cuda.
std::vector<std::string> toolkit_folders();
// Returns the files to try for one of CUDA's libraries, given its names in the order of preference. The plain names,
// for which the loader searches, come first. The files in the toolkits' folders follow.
std::vector<std::string> library_candidates(std::span<const char* const> names);
// Returns the folders of CUDA's own headers (cuda_fp16.h, cub/cub.cuh) in this machine's toolkit, as nvcc uses them;
// empty if there is no toolkit.
std::vector<std::string> toolkit_include_folders();

}  // namespace wattune::backend::cuda
