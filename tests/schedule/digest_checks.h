// Checks of digests of buffers on any device, against the same sum on the host.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedule/interface/buffer_digest.h"

namespace wattune::inline v0_1::schedule {

inline std::uint64_t digest_on_host(std::span<const std::uint32_t> words) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint64_t mixed = words[i] + (i + 1) * 0x9E3779B97F4A7C15ULL;
    mixed = (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93ULL;
    sum += mixed ^ (mixed >> 32);
  }
  return sum;
}

// Compares digests of more words than there are threads, whose number is no multiple of that of threads.
inline void expect_digests_of_contents(backend::Device& device) {
  constexpr Nanoseconds kLimit = nanoseconds_from_seconds(120);
  std::vector<std::uint32_t> words(1'000'003);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(i * i);
  const auto buffer = device.create_buffer(words.size() * sizeof(std::uint32_t)).value();
  const auto stream = device.create_stream().value();
  const auto write = [&] {
    stream->write(*buffer, std::as_bytes(std::span(words))).value();
    stream->finish(kLimit).value();
  };
  BufferDigest digest(device);
  write();
  const std::uint64_t first = digest.of(*buffer).value();
  EXPECT_EQ(first, digest_on_host(words));
  std::swap(words.front(), words.back());
  write();
  EXPECT_NE(digest.of(*buffer).value(), first);
  EXPECT_EQ(digest.of(*buffer).value(), digest_on_host(words));
}

}  // namespace wattune::schedule
