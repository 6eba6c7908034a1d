// Pack<T, N>: N elements side by side, which load and store together when they are aligned as a whole: OpenCL's vector
// types for CUDA, in any width.
#pragma once

template <typename T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Pack {
  T element[N];

  __device__ Pack& operator+=(const Pack& other) {
#pragma unroll
    for (int i = 0; i < N; ++i) element[i] += other.element[i];
    return *this;
  }
  // Adds factor * other.
  __device__ void add_scaled(T factor, const Pack& other) {
#pragma unroll
    for (int i = 0; i < N; ++i) element[i] += factor * other.element[i];
  }
};
