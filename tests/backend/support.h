// The common parts of the tests of devices: opening them, building, and running one kernel.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <numeric>

#include "wait.h"
#include "wattune/backend/registry.h"
#include "wattune/backend/worker.h"

namespace wattune::inline v0_1::backend {

// The limit of waits, wide enough for PoCL's compiler on a busy machine.
inline constexpr Nanoseconds kLimit = nanoseconds_from_seconds(60);

// Returns the selector of an OpenCL device; nullopt if there is none.
inline std::optional<std::string> opencl_selector() {
  static const Discovery discovery = discover();
  for (const DeviceInfo& device : discovery.devices)
    if (device.backend == "opencl") return device.selector;
  return std::nullopt;
}

#define SKIP_WITHOUT_OPENCL() \
  if (!opencl_selector()) GTEST_SKIP() << "no OpenCL device on this machine"

inline KernelSource source_of(std::string text) {
  KernelSource source;
  source.text = std::move(text);
  return source;
}

// Returns the bytes of a scalar, in the form that a launch takes.
template <typename T>
ScalarBytes scalar(T value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {{bytes.begin(), bytes.end()}};
}

template <typename T>
std::unique_ptr<Buffer> buffer_with(Device& device, Stream& stream, const std::vector<T>& values) {
  auto buffer = device.create_buffer(values.size() * sizeof(T)).value();
  stream.write(*buffer, std::as_bytes(std::span(values))).value();
  stream.finish(kLimit).value();
  return buffer;
}

template <typename T>
std::vector<T> contents_of(const Buffer& buffer, Stream& stream) {
  std::vector<T> values(buffer.bytes() / sizeof(T));
  stream.read(buffer, std::as_writable_bytes(std::span(values))).value();
  stream.finish(kLimit).value();
  return values;
}

inline std::vector<float> iota(std::size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

// Builds, launches once and finishes; returns the first error of these.
inline Result<Nanoseconds> run_once(Device& device, Stream& stream, const std::string& text, const std::string& name,
                                    const Geometry3& geometry, std::vector<LaunchArgument> arguments,
                                    Nanoseconds limit = kLimit) {
  WATTUNE_ASSIGN(const auto program, device.build(source_of(text), {}, kLimit));
  WATTUNE_ASSIGN(const auto kernel, program->kernel(name));
  WATTUNE_ASSIGN(const auto event, stream.launch(*kernel, geometry, arguments));
  WATTUNE_TRY(stream.finish(limit));
  return event->duration();
}

// Returns the processes whose parent is this one, zombies included.
inline std::vector<pid_t> children() {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    std::string line;
    if (!std::getline(stat, line)) continue;
    // The line is "pid (name) state parent ...", and the name may hold any character.
    char state = 0;
    pid_t parent = 0;
    if (std::sscanf(line.c_str() + line.rfind(')') + 1, " %c %d", &state, &parent) == 2 && parent == getpid())
      found.push_back(std::stoi(entry.path().filename()));
  }
  return found;
}

// Waits until the process has ended.
inline bool ends(pid_t process) {
  return test::wait_until([process] {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string line;
    return !std::getline(stat, line) || line.find(") Z ") != std::string::npos;
  });
}

}  // namespace wattune::backend
