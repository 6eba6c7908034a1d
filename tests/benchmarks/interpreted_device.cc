#include "benchmarks/interpreted_device.h"

#include <cstring>
#include <span>
#include <vector>

#include "backend/interface/compile.h"
#include "simulate/interface/ptx_run.h"

namespace wattune::benchmarks_test {

namespace {

DeviceInfo cuda_info() {
  DeviceInfo info = fakes::FakeDevice().info();
  info.languages = {Language::cuda};
  return info;
}

Result<std::string> compiled_ptx(const KernelSource& source, const fakes::Macros& macros) {
  std::vector<backend::Macro> list;
  for (const auto& [name, value] : macros) list.push_back({name, value});
  WATTUNE_ASSIGN(backend::Image image, backend::compile_ptx({.backend = "cuda", .architecture = "sm_90"}, source, list,
                                                            nanoseconds_from_seconds(60)));
  return std::move(image.code);
}

// The arguments of a launch. Buffers have an address in the memory; other arguments are passed as their bytes.
class Arguments {
 public:
  Arguments(const fakes::FakeLaunch& launch, simulate::VirtualMemory& memory) : launch_(launch), memory_(memory) {
    for (const auto& argument : launch.arguments()) {
      if (argument.with_guards.empty()) {
        add(argument.bytes);
        continue;
      }
      const std::uint64_t address = memory.allocate(argument.bytes.size());
      std::memcpy(memory.find(address, argument.bytes.size()), argument.bytes.data(), argument.bytes.size());
      add(std::as_bytes(std::span(&address, 1)));
      addresses_.push_back(address);
    }
  }

  const std::vector<std::byte>& bytes() const { return bytes_; }
  // Copies the kernel's results back into the buffers.
  void read_back() const {
    auto address = addresses_.begin();
    for (const auto& argument : launch_.arguments())
      if (!argument.with_guards.empty())
        std::memcpy(argument.bytes.data(), memory_.find(*address++, argument.bytes.size()), argument.bytes.size());
  }

 private:
  void add(std::span<const std::byte> value) {
    bytes_.resize((bytes_.size() + value.size() - 1) / value.size() * value.size());
    bytes_.insert(bytes_.end(), value.begin(), value.end());
  }

  const fakes::FakeLaunch& launch_;
  simulate::VirtualMemory& memory_;
  std::vector<std::byte> bytes_;
  std::vector<std::uint64_t> addresses_;
};

Result<Nanoseconds> interpret(const std::string& ptx, const std::string& function, const fakes::FakeLaunch& launch,
                              simulate::PtxCosts& costs) {
  simulate::VirtualMemory memory;
  WATTUNE_ASSIGN(const slice::PtxTree tree, slice::parse_ptx(ptx, function + ".ptx"));
  WATTUNE_ASSIGN(const simulate::PtxModule module, simulate::PtxModule::load(tree, memory));
  const Arguments arguments(launch, memory);
  WATTUNE_ASSIGN(simulate::PtxRun run, simulate::PtxRun::start(module, function, launch.geometry(), arguments.bytes(),
                                                               memory, {.resident_blocks = 3, .costs = true}));
  WATTUNE_TRY(run.finish());
  arguments.read_back();
  costs = run.costs();
  return Nanoseconds(1000.0);
}

}  // namespace

bool compiles_cuda() {
  KernelSource source{.language = Language::cuda, .function = "nothing"};
  source.text = "extern \"C\" __global__ void nothing() {}";
  return compiled_ptx(source, {}).has_value();
}

InterpretedDevice::InterpretedDevice(const KernelSpec& spec) : device(cuda_info()) {
  device.on_build([this](const KernelSource& source, const fakes::Macros& macros) -> Result<fakes::FakeCompilation> {
    WATTUNE_ASSIGN(ptx[macros], compiled_ptx(source, macros));
    return fakes::FakeCompilation{};
  });
  const std::string function = spec.source.function;
  device.add_kernel(function, spec.arguments.size(), [this, function](const fakes::FakeLaunch& launch) {
    return interpret(ptx.at(launch.macros()), function, launch, costs);
  });
}

}  // namespace wattune::benchmarks_test
