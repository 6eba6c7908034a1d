#include "backend/cuda/private_memory.h"

#include <fmt/format.h>

#include "backend/cuda/program.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

// Returns the PTX of a kernel that has one thread and this much private memory, rounded up to a multiple of 16 bytes.
// It writes to an address that is unknown at compile time, so that the memory is not optimised away. It reads the
// memory back only if it gets a pointer for the result.
std::string kernel_with(std::size_t bytes) {
  return fmt::format(R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry wattune_private(.param .u64 wattune_private_out)
{{
  .local .align 16 .b8 memory[{}];
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  .reg .b64 %d<4>;
  mov.u32 %r1, %clock;
  and.b32 %r2, %r1, 12;
  cvt.u64.u32 %d1, %r2;
  mov.u64 %d2, memory;
  add.s64 %d3, %d2, %d1;
  st.local.u32 [%d3], %r1;
  ld.param.u64 %d1, [wattune_private_out];
  setp.eq.u64 %p1, %d1, 0;
  @%p1 bra DONE;
  ld.local.u32 %r2, [%d2+8];
  st.global.u32 [%d1], %r2;
DONE:
  ret;
}}
)",
                     (bytes + 15) / 16 * 16);
}

}  // namespace

// Reserves the memory by launching a kernel that needs it, so that no setting of the application's context is changed.
Result<void> make_room_for_private_memory(const std::shared_ptr<Session>& session, std::size_t bytes) {
  WATTUNE_ASSIGN(const CurrentContext current, session->enter());
  WATTUNE_ASSIGN(const auto program, load_program(session, {.code = kernel_with(bytes)}, {}));
  WATTUNE_ASSIGN(const auto kernel, program->kernel("wattune_private"));
  const CUlaunchConfig config{.gridDimX = 1,
                              .gridDimY = 1,
                              .gridDimZ = 1,
                              .blockDimX = 1,
                              .blockDimY = 1,
                              .blockDimZ = 1,
                              .sharedMemBytes = 0,
                              .hStream = session->service_stream(),
                              .attrs = nullptr,
                              .numAttrs = 0};
  CUdeviceptr nothing = 0;
  void* parameters[] = {&nothing};
  const CUfunction function = static_cast<const CudaKernel&>(*kernel).get();
  CUresult code = session->cu().cuLaunchKernelEx(&config, function, parameters, nullptr);
  if (code == CUDA_SUCCESS) code = session->cu().cuStreamSynchronize(session->service_stream());
  return code == CUDA_SUCCESS ? Result<void>() : session->failure(code, "making room for private memory");
}

}  // namespace wattune::backend::cuda
