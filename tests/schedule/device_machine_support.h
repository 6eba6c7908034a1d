// Shared parts of the tests of a machine on devices: a kernel that counts how often each of its blocks ran.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "schedule/interface/device_machine.h"
#include "wattune/backend/registry.h"
#include "wattune/schedule/work.h"

namespace wattune::inline v0_1::schedule {

inline constexpr Nanoseconds kTestLimit = nanoseconds_from_seconds(120);

inline std::vector<int> read_ints(backend::Device& device, const backend::Buffer& buffer) {
  const auto stream = device.create_stream().value();
  std::vector<int> values(buffer.bytes() / sizeof(int));
  stream->read(buffer, std::as_writable_bytes(std::span(values))).value();
  stream->finish(kTestLimit).value();
  return values;
}

// Returns PTX of the kernel that the stand-in for CUDA's driver knows as `mark`, and of others that it knows.
inline std::string mark_ptx(const std::string& first_line = "mov.u32 %r1, %ctaid.x;") {
  return R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry mark(.param .u64 hits)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  )" + first_line +
         R"(
  ld.param.u64 %rd1, [hits];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  atom.global.add.u32 %r2, [%rd3], 1;
  ret;
}
.visible .entry illegal(.param .u64 hits)
{
  ret;
}
.visible .entry hang(.param .u64 hits)
{
  ret;
}
)";
}

// Returns a kernel with one argument: a buffer of so many integers, all 0.
inline std::shared_ptr<const LoadedKernel> kernel_on_ints(backend::Device& device, std::string name,
                                                          std::shared_ptr<const KernelCode> code,
                                                          const backend::Geometry3& geometry, std::size_t ints) {
  auto kernel = std::make_shared<LoadedKernel>(LoadedKernel{
      .name = std::move(name), .code = std::move(code), .geometry = geometry, .arguments = {}, .buffers = {}});
  kernel->buffers.push_back(device.create_buffer(ints * sizeof(int)).value());
  const auto stream = device.create_stream().value();
  stream->fill(*kernel->buffers.front(), std::byte{0}).value();
  stream->finish(kTestLimit).value();
  kernel->arguments = {kernel->buffers.front().get()};
  return kernel;
}

// Waits until so many launches have ended. A working machine ends them soon.
inline std::vector<Ended> wait_for(Machine& machine, std::size_t launches) {
  std::vector<Ended> all;
  const Nanoseconds until = machine.now() + kTestLimit;
  while (all.size() < launches && machine.now() < until)
    for (Ended& ended : machine.wait(until)) all.push_back(std::move(ended));
  EXPECT_EQ(all.size(), launches);
  return all;
}

}  // namespace wattune::schedule
