// CUDA kernels that the program runs with stand-ins for driver, CUPTI, NVML and NVRTC (fakes/cuda/fake_cuda.h).
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "cli/run_program.h"

namespace wattune::cli_test {

// The stand-in computes what its kernel `scale` should, in a microsecond for each thread of a block.
inline constexpr char kScaleSpec[] = R"([kernel]
file = "scale.cu"
function = "scale"
arguments = [
  { name = "x", type = "float*", length = "n", access = "readwrite", fill = "iota" },
  { name = "factor", type = "float", value = 3 },
  { name = "n", type = "int", value = "n" },
]
[problem]
n = 1024
[launch]
divide = ["block"]
block = "block"
[parameters]
block = { values = [32, 64, 128], default = 128 }
[reference]
file = "reference.cc"
)";

inline void write_scale(const TempFolder& folder) {
  folder.write("scale.toml", kScaleSpec);
  folder.write("scale.cu", "extern \"C\" __global__ void scale(float* x, float factor, int n) {}\n");
  folder.write("reference.cc", R"(#include <cstddef>
extern "C" void reference(void* const* arguments, const std::size_t* lengths) {
  for (std::size_t i = 0; i < lengths[0]; ++i) static_cast<float*>(arguments[0])[i] *= 3.0f;
}
)");
}

// Writes the spec with `launches` in the place of [launch].
inline void write_launches(const TempFolder& folder, const std::string& launches) {
  std::string spec = kScaleSpec;
  const std::size_t at = spec.find("[launch]");
  folder.write("scale.toml", spec.replace(at, spec.find("[parameters]") - at, launches));
}

// A kernel that counts how often each of its blocks ran. The stand-in for CUDA's driver runs it with its twins. Its
// output beside other kernels equals that of a run alone only if each block ran once.
inline constexpr char kMarkPtx[] = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry mark(.param .u64 hits)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %ctaid.x;
  ld.param.u64 %rd1, [hits];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  atom.global.add.u32 %r2, [%rd3], 1;
  ret;
}
)";

inline std::string mark_spec(const std::string& file) {
  return "[kernel]\nfile = \"" + file +
         "\"\nfunction = \"mark\"\narguments = [\n"
         "  { name = \"hits\", type = \"int*\", length = \"n\", access = \"readwrite\" },\n]\n"
         "[problem]\nn = 60\n[launch]\ngrid = [\"n\"]\nblock = [\"64\"]\n[parameters]\nk = [1]\n";
}

// Returns the environment variables with which the program finds the stand-ins.
inline std::string stand_in_variables(const TempFolder& folder) {
  const std::string libraries = program_path().parent_path().string();
  return "XDG_CACHE_HOME=" + (folder.path() / "user-cache").string() +
         " WATTUNE_STATE_DIR=" + (folder.path() / "state").string() + " WATTUNE_LIBCUDA=" + libraries +
         "/wattune-fake-libcuda.so WATTUNE_LIBNVML=" + libraries +
         "/wattune-fake-libnvml.so WATTUNE_LIBNVRTC=" + libraries +
         "/wattune-fake-libnvrtc.so WATTUNE_LIBCUPTI=" + libraries + "/wattune-fake-libcupti.so ";
}

inline Finished run_with_stand_ins(const TempFolder& folder, const std::string& arguments,
                                   const std::string& variables = "") {
  return run_shell(folder, stand_in_variables(folder) + variables + " " + program_path().string() + " " + arguments);
}

// An object with which programs find the stand-ins, and as many devices of one model, while it lives.
class StandInsForPrograms {
 public:
  explicit StandInsForPrograms(int devices = 1) {
    const std::filesystem::path libraries = program_path().parent_path();
    setenv("WATTUNE_LIBCUDA", (libraries / "wattune-fake-libcuda.so").c_str(), 1);
    setenv("WATTUNE_LIBNVML", (libraries / "wattune-fake-libnvml.so").c_str(), 1);
    setenv("WATTUNE_LIBNVRTC", (libraries / "wattune-fake-libnvrtc.so").c_str(), 1);
    setenv("WATTUNE_LIBCUPTI", (libraries / "wattune-fake-libcupti.so").c_str(), 1);
    std::string names = "A";
    for (int i = 1; i < devices; ++i) names += ",A";
    setenv("WATTUNE_FAKE_CUDA_DEVICES", names.c_str(), 1);
  }
  ~StandInsForPrograms() {
    for (const char* variable :
         {"WATTUNE_LIBCUDA", "WATTUNE_LIBNVML", "WATTUNE_LIBNVRTC", "WATTUNE_LIBCUPTI", "WATTUNE_FAKE_CUDA_DEVICES"})
      unsetenv(variable);
  }
  StandInsForPrograms(const StandInsForPrograms&) = delete;
  StandInsForPrograms& operator=(const StandInsForPrograms&) = delete;
};

}  // namespace wattune::cli_test
