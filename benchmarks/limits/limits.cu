// What the GPU gives a kernel at most, to set tuned kernels against: NVIDIA's own matrix multiplication, and a copy.
//
//   limits gemm M N K [MILLISECONDS]   cublasSgemm in single precision, without tensor cores
//   limits copy BYTES [MILLISECONDS]   a copy from device to device that moves BYTES: half are read, half are written
//
// MILLISECONDS is the time of another kernel for the same work, and the ratio is printed with it. Each time is the
// median of launches between two events, after half a second of launches that warm the GPU up, as `wattune tune`
// measures.
#include <cublas_v2.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int kSamples = 101;
constexpr std::chrono::milliseconds kWarmUp{500};

[[noreturn]] void give_up(const char* what, const char* why) {
  std::fprintf(stderr, "limits: error: %s: %s\n", what, why);
  std::exit(1);
}

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) give_up(what, cudaGetErrorString(status));
}
void check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) give_up(what, ("cuBLAS status " + std::to_string(status)).c_str());
}

// Numbers in [-1, 1): with zeros, a GPU draws less power and keeps a higher clock.
__global__ void fill(float* to, std::size_t n) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    std::uint32_t bits = static_cast<std::uint32_t>(i) * 2654435761u;
    bits = (bits ^ (bits >> 15)) * 2246822519u;
    to[i] = static_cast<float>(bits >> 8) / (1 << 23) - 1.0f;
  }
}

float* new_buffer(std::size_t elements) {
  float* buffer = nullptr;
  check(cudaMalloc(&buffer, elements * sizeof(float)), "allocating");
  fill<<<1024, 256>>>(buffer, elements);
  check(cudaGetLastError(), "filling");
  return buffer;
}

// The median time of `launch`, in milliseconds.
template <typename Launch>
double time_of(Launch launch) {
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < kWarmUp) {
    launch();
    check(cudaDeviceSynchronize(), "warming up");
  }
  std::vector<cudaEvent_t> events(2 * kSamples);
  for (cudaEvent_t& event : events) check(cudaEventCreate(&event), "creating an event");
  for (int i = 0; i < kSamples; ++i) {
    check(cudaEventRecord(events[2 * i]), "recording an event");
    launch();
    check(cudaEventRecord(events[2 * i + 1]), "recording an event");
  }
  check(cudaDeviceSynchronize(), "measuring");
  std::vector<float> times(kSamples);
  for (int i = 0; i < kSamples; ++i)
    check(cudaEventElapsedTime(&times[i], events[2 * i], events[2 * i + 1]), "reading an event");
  std::nth_element(times.begin(), times.begin() + kSamples / 2, times.end());
  return times[kSamples / 2];
}

void print(const std::string& what, double milliseconds, double rate, const char* unit, double other) {
  std::printf("%-36s %8.4f ms  %7.3f %s", what.c_str(), milliseconds, rate, unit);
  if (other > 0) std::printf("  kernel %8.4f ms: %5.1f %%", other, 100 * milliseconds / other);
  std::printf("\n");
}

// cuBLAS, which is loaded at run time: the program also starts where it is not installed.
template <typename Function>
Function* cublas_function(const char* name) {
  static void* library = [] {
    const char* home = std::getenv("CUDA_HOME");
    for (const std::string& folder :
         {std::string(), (home != nullptr ? home : "/usr/local/cuda") + std::string("/lib64/")})
      if (void* found = dlopen((folder + "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR)).c_str(), RTLD_NOW))
        return found;
    give_up("loading cuBLAS", dlerror());
  }();
  void* function = dlsym(library, name);
  if (function == nullptr) give_up(name, "not in cuBLAS");
  return reinterpret_cast<Function*>(function);
}

// C = A * B as benchmarks/gemm stores them: in cuBLAS's columns, A is M x K, B is N x K transposed, C is M x N.
void gemm(int m, int n, int k, double other) {
  const auto create = cublas_function<decltype(cublasCreate_v2)>("cublasCreate_v2");
  const auto set_math = cublas_function<decltype(cublasSetMathMode)>("cublasSetMathMode");
  const auto sgemm = cublas_function<decltype(cublasSgemm_v2)>("cublasSgemm_v2");
  cublasHandle_t handle = nullptr;
  check(create(&handle), "starting cuBLAS");
  float* a = new_buffer(std::size_t{1} * m * k);
  float* b = new_buffer(std::size_t{1} * n * k);
  float* c = new_buffer(std::size_t{1} * m * n);
  const float one = 1.0f;
  const float zero = 0.0f;
  // Neither mode uses tensor cores for single precision: the default asks for TF32 to be allowed explicitly.
  for (const auto& [mode, name] :
       {std::pair(CUBLAS_DEFAULT_MATH, "default"), std::pair(CUBLAS_PEDANTIC_MATH, "pedantic")}) {
    check(set_math(handle, mode), "setting the math mode");
    const double time = time_of([&, handle = handle] {
      check(sgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, &one, a, m, b, n, &zero, c, m), "cublasSgemm");
    });
    print(std::string("cublasSgemm, math mode ") + name, time, 2.0 * m * n * k / time / 1e9, "TFLOP/s", other);
  }
}

void copy(std::size_t bytes, double other) {
  const std::size_t elements = bytes / 2 / sizeof(float);
  const float* from = new_buffer(elements);
  float* to = new_buffer(elements);
  const double time =
      time_of([&] { check(cudaMemcpyAsync(to, from, elements * sizeof(float), cudaMemcpyDeviceToDevice), "copying"); });
  print("cudaMemcpyDeviceToDevice", time, static_cast<double>(bytes) / time / 1e9, "TB/s", other);
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  const auto number = [&](std::size_t i) {
    return i < arguments.size() ? std::strtod(arguments[i].c_str(), nullptr) : 0.0;
  };
  const auto positive = [&](std::size_t last) {
    for (std::size_t i = 1; i <= last; ++i)
      if (number(i) < 1) return false;
    return true;
  };
  if (!arguments.empty() && arguments[0] == "gemm" && positive(3)) {
    gemm(static_cast<int>(number(1)), static_cast<int>(number(2)), static_cast<int>(number(3)), number(4));
  } else if (!arguments.empty() && arguments[0] == "copy" && positive(1)) {
    copy(static_cast<std::size_t>(number(1)), number(2));
  } else {
    std::fprintf(stderr, "usage: limits gemm M N K [MILLISECONDS] | limits copy BYTES [MILLISECONDS]\n");
    return 2;
  }
  return 0;
}
