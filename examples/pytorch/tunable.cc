// Tunable kernels for Python, or any other language that calls C: tunable.py loads this library with ctypes.
//
// A kernel runs in the CUDA context that is current when it is opened, which is PyTorch's. Each call names the stream
// and passes the memory that the kernel uses. Any thread may call the functions.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "wattune/backend/attach.h"
#include "wattune/dynamic/tuner.h"
#include "wattune/spec/spec.h"

namespace {

using wattune::Result;
namespace backend = wattune::backend;
namespace dynamic = wattune::dynamic;

struct Kernel {
  std::unique_ptr<backend::Device> device;
  std::unique_ptr<dynamic::Tuner> tuner;
  std::unique_ptr<dynamic::TunableKernel> kernel;
};

// An argument as tunable.py declares it: a pointer to device memory, or the bytes of a value.
struct Argument {
  const void* pointer;
  std::uint64_t bytes;  // 0 for device memory
};

thread_local std::string told;

Result<std::unique_ptr<Kernel>> open(const char* file, const char* wisdom, bool trusted) {
  WATTUNE_ASSIGN(wattune::KernelSpec spec, wattune::spec::load(file));
  auto opened = std::make_unique<Kernel>();
  WATTUNE_ASSIGN(opened->device, backend::attach_cuda());
  WATTUNE_TRY(use_language(spec, opened->device->info().languages));
  WATTUNE_ASSIGN(opened->tuner, dynamic::Tuner::attach(*opened->device, {.wisdom = wisdom}));
  const dynamic::Safety safety = trusted ? dynamic::Safety::trusted : dynamic::Safety::screened;
  WATTUNE_ASSIGN(opened->kernel, opened->tuner->kernel(spec, {.policy = {.safety = safety}}));
  return opened;
}

// Returns the arguments of a call. Checks their sizes, because CallArgument::of_bytes() does not.
Result<std::vector<dynamic::CallArgument>> passed_by(std::span<const Argument> arguments) {
  std::vector<dynamic::CallArgument> passed;
  for (const auto& [pointer, bytes] : arguments) {
    if (bytes > dynamic::CallArgument::kMostValueBytes)
      return wattune::Error(wattune::ErrorCode::invalid_argument,
                            "a scalar or struct is too large to be passed by value")
          .about("argument " + std::to_string(passed.size() + 1) + ", " + std::to_string(bytes) + " bytes")
          .hint("at most " + std::to_string(dynamic::CallArgument::kMostValueBytes) + " bytes, or device memory");
    passed.push_back(bytes == 0 ? dynamic::CallArgument(pointer)
                                : dynamic::CallArgument::of_bytes({static_cast<const std::byte*>(pointer), bytes}));
  }
  return passed;
}

Result<void> call(Kernel& kernel, void* stream, std::span<const Argument> arguments) {
  WATTUNE_ASSIGN(const std::vector<dynamic::CallArgument> passed, passed_by(arguments));
  return kernel.kernel->call(static_cast<CUstream_st*>(stream), passed);
}

}  // namespace

extern "C" {

// Returns the text of the last error or report that this thread got.
const char* wattune_told() { return told.c_str(); }

// Opens a kernel. After an error it returns null, and wattune_told() returns the error. `wisdom` may be "".
void* wattune_open(const char* spec, const char* wisdom, int trusted) {
  Result<std::unique_ptr<Kernel>> opened = open(spec, wisdom, trusted != 0);
  if (opened) return opened->release();
  told = opened.error().to_string();
  return nullptr;
}

// Calls the kernel. Returns 0; after an error it returns another number, and wattune_told() returns the error.
int wattune_call(void* kernel, void* stream, const Argument* arguments, std::size_t count) {
  const Result<void> called = call(*static_cast<Kernel*>(kernel), stream, {arguments, count});
  if (called) return 0;
  told = called.error().to_string();
  return 1;
}

// Returns a line of text for each key: the number of configurations tried, the state of tuning, and the best
// configuration.
const char* wattune_report(void* kernel) {
  told.clear();
  const dynamic::KernelReport report = static_cast<Kernel*>(kernel)->kernel->report();
  for (const dynamic::KeyReport& key : report.keys)
    told += std::to_string(key.explored) + " tried, " + key.state + ": " +
            (key.best ? key.best->to_string() : "nothing yet") + "\n";
  return told.c_str();
}

// Closes the kernel. Precondition: none of the kernel's calls is in flight.
void wattune_close(void* kernel) {
  const std::unique_ptr<Kernel> closed(static_cast<Kernel*>(kernel));
  if (const Result<void> saved = closed->tuner->save(); !saved)
    std::fprintf(stderr, "%s\n", saved.error().to_string().c_str());
}
}
