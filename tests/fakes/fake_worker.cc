// A worker program that serves a FakeDevice and misbehaves as real drivers do. The selector says how:
//   fake:0        kernels noop, scale (y[i] *= factor), run_for (so many nanoseconds), overrun, abort, exit, garbage,
//                 sleep (without end), forever (of the fake clock); 64 MiB of memory; a board that takes 100 W; graphs
//   fake:exit     exits with status 7 while opening the device
//   fake:garbage  answers the request to open with bytes that are no frame
//   fake:nonsense answers it with a frame that is no answer
//   fake:sleep    never answers it
//   fake:killed   is killed twice while it opens; WATTUNE_FAKE_WORKER_LOG names a file that gets a line each time
// It has more kernels: leave_process (starts a process in a session of its own, which never ends, and writes its id
// into the buffer), leave_file (in the folder for temporary files), and linger (never ends, and adds a line to the file
// that WATTUNE_FAKE_COMPILER_LOG names). take_memory calls new without end, and
// abort_without_memory calls malloc until there is none, then abort, as LLVM does.
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "backend/interface/compiler_program.h"
#include "backend/worker/channel.h"
#include "backend/worker/supervisor.h"
#include "fakes/fake_device.h"
#include "wattune/backend/worker.h"

namespace {

using namespace wattune;
using backend::worker::kWorkerDescriptor;
using fakes::FakeLaunch;

[[noreturn]] void sleep_forever() {
  for (;;) pause();
}

// Adds a line to the file that WATTUNE_FAKE_COMPILER_LOG names. Returns that name, or nullptr if there is none.
const char* log_compilation(const std::string& line) {
  const char* const log = std::getenv("WATTUNE_FAKE_COMPILER_LOG");
  if (log != nullptr) std::ofstream(log, std::ios::app) << line + "\n";
  return log;
}

void send_garbage() {
  const std::vector<std::byte> garbage(64, std::byte{0xFF});
  send(kWorkerDescriptor, garbage.data(), garbage.size(), MSG_NOSIGNAL);
}

void send_nonsense() {
  const std::vector<std::byte> nonsense(64, std::byte{0xFF});
  backend::worker::Channel channel{backend::Descriptor(dup(kWorkerDescriptor))};
  (void)channel.send(nonsense, std::nullopt);
}

// Starts a process like a daemon: in a session of its own, and without a parent.
pid_t start_daemon() {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  if (fork() == 0) {
    setsid();
    const pid_t daemon = fork();
    if (daemon == 0) sleep_forever();
    (void)!write(ends[1], &daemon, sizeof daemon);
    _exit(0);
  }
  pid_t daemon = -1;
  (void)!read(ends[0], &daemon, sizeof daemon);
  return daemon;
}

[[noreturn]] void take_memory() {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  static std::vector<std::unique_ptr<char[]>> pieces;
  for (;;) pieces.push_back(std::make_unique<char[]>(kPiece));
}

[[noreturn]] void abort_without_memory() {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  while (void* const piece = std::malloc(kPiece)) explicit_bzero(piece, kPiece);
  std::fprintf(stderr, "LLVM ERROR: out of memory\n");
  std::abort();
}

void be_killed_twice() {
  const char* const log = std::getenv("WATTUNE_FAKE_WORKER_LOG");
  std::ifstream before(log);
  if (std::count(std::istreambuf_iterator(before), {}, '\n') >= 2) return;
  std::ofstream(log, std::ios::app) << "killed\n";
  raise(SIGKILL);
}

Result<Nanoseconds> scale(const FakeLaunch& launch) {
  for (float& x : launch.elements<float>(0)) x *= launch.scalar<float>(1);
  return Nanoseconds(1000);
}

std::unique_ptr<backend::Device> good_device() {
  DeviceInfo info = fakes::FakeDevice().info();
  info.global_memory_bytes = std::uint64_t{64} << 20;
  auto device = std::make_unique<fakes::FakeDevice>(info);
  device->add_graphs(Nanoseconds());
  device->add_kernel("noop", 0, [](const FakeLaunch&) { return Nanoseconds(1); });
  device->add_kernel("scale", 2, scale);
  device->add_kernel("run_for", 1, [](const FakeLaunch& launch) { return Nanoseconds(launch.scalar<double>(0)); });
  device->on_read([](Nanoseconds clock) {
    backend::SensorReadings readings;
    readings.energy = Joules(100.0 * to_seconds(clock));
    return readings;
  });
  device->add_kernel("overrun", 1, [](const FakeLaunch& launch) {
    launch.write_out_of_bounds(0, 3);
    launch.write_out_of_bounds(0, 2, true);
    return Nanoseconds(1);
  });
  device->add_kernel("abort", 0, [](const FakeLaunch&) -> Nanoseconds {
    std::fprintf(stderr, "first line\nkernel gave up\n");
    std::abort();
  });
  device->add_kernel("exit", 0, [](const FakeLaunch&) -> Nanoseconds { std::_Exit(5); });
  device->add_kernel("garbage", 0, [](const FakeLaunch&) {
    send_garbage();
    return Nanoseconds(1);
  });
  device->add_kernel("sleep", 0, [](const FakeLaunch&) -> Nanoseconds { sleep_forever(); });
  device->add_kernel("linger", 2, [](const FakeLaunch&) -> Nanoseconds {
    log_compilation("linger");
    sleep_forever();
  });
  device->add_kernel("leave_process", 1, [](const FakeLaunch& launch) {
    launch.elements<pid_t>(0)[0] = start_daemon();
    return Nanoseconds(1);
  });
  device->add_kernel("leave_file", 0, [](const FakeLaunch&) {
    std::ofstream(std::filesystem::temp_directory_path() / "left") << "something";
    return Nanoseconds(1);
  });
  device->add_kernel("take_memory", 0, [](const FakeLaunch&) -> Nanoseconds { take_memory(); });
  device->add_kernel("abort_without_memory", 0, [](const FakeLaunch&) -> Nanoseconds { abort_without_memory(); });
  device->add_kernel("forever", 0, [](const FakeLaunch&) { return fakes::kForever; });
  device->on_build([](const KernelSource& source, const fakes::Macros&) -> Result<fakes::FakeCompilation> {
    if (source.text == "wrong") return Error(ErrorCode::compile_failed, "line 1: wrong");
    if (source.text == "slow") {
      log_compilation("slow");
      sleep_forever();
    }
    return fakes::FakeCompilation{"a warning", Nanoseconds(1)};
  });
  return device;
}

// Ends like PoCL when it cannot learn from /sys how much memory there is.
[[noreturn]] void end_as_pocl_without_memory() {
  std::fprintf(stderr, "Not enough memory to run on this device.\n");
  std::abort();
}

Result<std::vector<DeviceInfo>> discover() { return std::vector<DeviceInfo>{fakes::FakeDevice().info()}; }

Result<std::unique_ptr<backend::Device>> open(const std::string& selector) {
  if (selector == "fake:exit") std::_Exit(7);
  if (selector == "fake:without_memory") end_as_pocl_without_memory();
  if (selector == "fake:garbage") send_garbage();
  if (selector == "fake:nonsense") send_nonsense();
  if (selector == "fake:garbage" || selector == "fake:nonsense" || selector == "fake:sleep") sleep_forever();
  if (selector == "fake:killed") be_killed_twice();
  if (selector != "fake:0" && selector != "fake:killed")
    return Error(ErrorCode::not_found, "no device `" + selector + "`").hint("one of: fake:0");
  return good_device();
}

// Runs a program that starts another one, as nvcc does. Their ids become a line of the log.
Result<backend::Image> run_without_end(const char* log, Nanoseconds limit) {
  WATTUNE_ASSIGN(const auto folder, backend::TemporaryFolder::create());
  WATTUNE_TRY(
      backend::run_program({"sh", "-c", "sleep 3600 & echo $$ $! >> \"$0\"; wait", log}, folder / "log", limit));
  return Error(ErrorCode::compile_failed, "somebody ended the program");
}

// Returns an image that names its macros, or behaves as the macro MODE says. WATTUNE_FAKE_COMPILER_LOG names a file
// that gets a line for each compilation. MODE=wait waits until a file of that name with `.go` behind it appears.
Result<backend::Image> compile(const backend::CompileTarget& target, const KernelSource& source,
                               std::span<const backend::Macro> macros, Nanoseconds limit) {
  std::string code = target.architecture + " " + source.text;
  std::string mode;
  for (const backend::Macro& macro : macros) {
    code += " " + macro.name + "=" + macro.value;
    if (macro.name == "MODE") mode = macro.value;
  }
  const char* const log = log_compilation(code);
  if (mode == "program") return run_without_end(log, limit);
  while (mode == "wait" && log != nullptr && !std::filesystem::exists(std::string(log) + ".go")) usleep(1000);
  if (mode == "crash") std::abort();
  if (mode == "sleep") sleep_forever();
  if (mode == "killed") raise(SIGKILL);
  if (mode == "wrong") return Error(ErrorCode::compile_failed, "line 1: wrong");
  return backend::Image{.code = std::move(code), .log = "a warning", .symbols = {{"f<1>", "f1"}}};
}

}  // namespace

// Runs the worker without the real backends, which have no part in the tests.
int main(int argc, const char* const* argv) {
  for (const char* name : {"cuda", "opencl", "host"}) backend::unregister_backend(name);
  if (!backend::register_backend({.name = "fake", .discover = discover, .open = open, .compile = compile})) return 1;
  return backend::run_worker(argc, argv);
}
