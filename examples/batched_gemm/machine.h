// The application without its tuning: context, stream, matrices and its own kernels. Only one thread may use it.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "context.h"
#include "sizes.h"
#include "wattune/core/device_info.h"
#include "wattune/core/units.h"

namespace batched_gemm {

// The longest time that any operation may take.
inline constexpr wattune::Nanoseconds kLimit = wattune::nanoseconds_from_seconds(120);

// Products of a batch that are copied to the host and checked.
struct Samples {
  static constexpr std::size_t kCount = 4;
  std::array<std::int64_t, kCount> products{};
  unsigned which = 0;           // the set of matrices A
  std::vector<float> elements;  // of these products, one after another
};

class Machine {
 public:
  // Opens the device. `bytes` is the size of all matrices of a batch together; 0 lets the device decide.
  static wattune::Result<std::unique_ptr<Machine>> open(const std::string& device, std::uint64_t bytes);
  Machine(wattune::DeviceInfo info, std::uint64_t bytes, Attached attached);

  const wattune::DeviceInfo& info() const { return info_; }
  std::uint64_t bytes() const { return bytes_; }
  wattune::backend::Device& device() { return *attached_.device; }
  wattune::backend::Stream& stream() { return *attached_.stream; }
  const wattune::dynamic::CallStream& call_stream() const { return attached_.call_stream; }
  const wattune::backend::Buffer& a(unsigned which) const { return *a_[which]; }
  const wattune::backend::Buffer& b() const { return *b_; }
  const wattune::backend::Buffer& c() const { return *c_; }

  // Compiles the kernels that multiply() needs for these sizes.
  wattune::Result<void> prepare(const Sizes& sizes);
  // Computes the products of a batch with the application's own kernel. Precondition: prepare() was called for these
  // sizes.
  wattune::Result<void> multiply(const Sizes& sizes, std::int64_t batch, unsigned which);
  // Collects samples of the products, as a command of the stream. read() copies them to the host, and so waits for all
  // commands.
  wattune::Result<void> collect(const Sizes& sizes, std::int64_t batch, std::int64_t first);
  wattune::Result<void> read(const Sizes& sizes, std::int64_t batch, std::int64_t first, Samples& samples);
  wattune::Result<void> finish() { return stream().finish(kLimit); }
  // Returns the bandwidth of a copy within the device's memory: bytes read and written, per second.
  wattune::Result<double> copy_bandwidth();

 private:
  struct Code {
    std::unique_ptr<wattune::backend::Program> program;
    std::unique_ptr<wattune::backend::Kernel> multiply;
    std::unique_ptr<wattune::backend::Kernel> collect;
  };
  struct Shape {  // of multiply()
    std::int64_t rows, columns, products;
  };

  static Shape shape_of(const Sizes& sizes);
  wattune::Result<void> allocate();
  wattune::Result<void> fill(wattune::backend::Buffer& buffer, unsigned which);
  Code& code_for(const Sizes& sizes);

  wattune::DeviceInfo info_;
  std::uint64_t bytes_;
  Attached attached_;
  std::array<std::unique_ptr<wattune::backend::Buffer>, 2> a_;
  std::unique_ptr<wattune::backend::Buffer> b_, c_, samples_;
  std::map<std::pair<std::int64_t, std::int64_t>, Code> code_;  // by rows and columns
};

}  // namespace batched_gemm
