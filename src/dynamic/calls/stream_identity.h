// Identifies an application's stream by one number, which tables use as the key.
#pragma once

#include <cstdint>

#include "wattune/dynamic/call.h"

namespace wattune::inline v0_1::dynamic {

// Returns a number that differs between streams and is never 0. The function assumes that handles are addresses of at
// most 48 bits, or small numbers.
inline std::uint64_t identity_of(const CallStream& stream) {
  return (std::uint64_t{reinterpret_cast<std::uintptr_t>(stream.handle())} << 2) |
         (static_cast<std::uint64_t>(stream.kind()) + 1);
}

inline CallStream stream_of(std::uint64_t identity) {
  void* const handle = reinterpret_cast<void*>(static_cast<std::uintptr_t>(identity >> 2));
  switch (static_cast<CallStream::Kind>((identity & 3) - 1)) {
    case CallStream::Kind::cuda: return static_cast<CUstream_st*>(handle);
    case CallStream::Kind::opencl: return static_cast<_cl_command_queue*>(handle);
    case CallStream::Kind::ours: break;
  }
  return *static_cast<backend::Stream*>(handle);
}

// Returns a hash whose upper bits differ between identities, unlike those of addresses.
inline std::uint64_t hash_of(std::uint64_t identity) { return identity * 0x9E3779B97F4A7C15ULL; }

}  // namespace wattune::dynamic
