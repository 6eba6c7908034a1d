// A CUDA spec that the stand-ins can run as well as a real GPU, and how a program is given the stand-ins.
#pragma once

#include <fmt/format.h>

#include <cstdlib>

#include "cli/run_program.h"

namespace wattune::cli_test {

// A spec "add.toml" of `configurations` configurations (parameter k, from 0), with a reference kernel.
inline void write_cuda_spec(const TempFolder& folder, int configurations) {
  folder.write("add.cu",
               "extern \"C\" __global__ void scale(float* x, float factor, int n) {\n"
               "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
               "  if (i < n) x[i] *= factor;\n"
               "}\n");
  folder.write(
      "add.toml",
      fmt::format("[kernel]\n"
                  "file = \"add.cu\"\n"
                  "function = \"scale\"\n"
                  "arguments = [\n"
                  "  {{ name = \"x\", type = \"float*\", length = \"n\", access = \"readwrite\", fill = \"iota\" }},\n"
                  "  {{ name = \"factor\", type = \"float\", value = 3 }},\n"
                  "  {{ name = \"n\", type = \"int\", value = \"n\" }},\n"
                  "]\n"
                  "[problem]\n"
                  "n = 1024\n"
                  "[launch]\n"
                  "divide = [\"64\"]\n"
                  "block = \"64\"\n"
                  "[parameters]\n"
                  "k = \"range({})\"\n"
                  "[reference]\n"
                  "file = \"add.cu\"\n"
                  "function = \"scale\"\n",
                  configurations));
}

// Programs started while this lives load the stand-ins for driver, compiler and NVML.
class StandIns {
 public:
  StandIns() {
    for (const auto& [variable, library] : kLibraries)
      setenv(variable, (program_path().parent_path() / library).c_str(), 1);
  }
  ~StandIns() {
    for (const auto& [variable, library] : kLibraries) unsetenv(variable);
  }
  StandIns(const StandIns&) = delete;
  StandIns& operator=(const StandIns&) = delete;

 private:
  static constexpr std::pair<const char*, const char*> kLibraries[] = {
      {"WATTUNE_LIBCUDA", "wattune-fake-libcuda.so"},
      {"WATTUNE_LIBNVRTC", "wattune-fake-libnvrtc.so"},
      {"WATTUNE_LIBNVML", "wattune-fake-libnvml.so"},
  };
};

}  // namespace wattune::cli_test
