// A CUDA spec that the stand-ins can run as well as a real GPU.
#pragma once

#include <fmt/format.h>

#include "cli/run_program.h"

namespace wattune::cli_test {

// Writes a spec "add.toml" with `configurations` configurations (parameter k, from 0) and a reference kernel.
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

}  // namespace wattune::cli_test
