// Copies from global to shared memory that go on while the thread does other work, where the GPU can do that (from
// compute capability 8.0): what was started is there after finish_copies() of the same thread.
#pragma once

template <typename Vector>
__device__ void start_copy(Vector* to, const Vector* from) {
#if __CUDA_ARCH__ >= 800
  constexpr int kBytes = sizeof(Vector) < 16 ? sizeof(Vector) : 16;
  const auto target = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const auto* source = reinterpret_cast<const char*>(from);
#pragma unroll
  for (int at = 0; at < sizeof(Vector); at += kBytes)
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(target + at), "l"(source + at), "n"(kBytes));
#else
  *to = *from;
#endif
}

__device__ inline void finish_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
