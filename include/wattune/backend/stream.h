// Streams: sequences of commands for a device, and their results. StreamOptions decide how a Stream is made. A launch
// gives an Event, which tells its times. A PreparedLaunch is sent again and again.
//
// A Device makes streams (device.h says what threads may do). The caller owns them and the events of their launches.
// Events outlive their stream, but report nothing more if it is destroyed unfinished. A stream collects its commands.
// submit() hands them to the device; finish() also waits for them. An adopted stream (attach.h) collects nothing.
//
//   const auto made = producer->launch(*produce, geometry, arguments);
//   consumer->wait_for(**made);
//   consumer->launch(*consume, geometry, arguments);
//   device->finish(std::array{producer.get(), consumer.get()}, {.limit = limit});
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "wattune/backend/launch.h"
#include "wattune/backend/sensors.h"
#include "wattune/core/export.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::backend {

// Neighbouring compute units of a device (CUDA: multiprocessors). A count of 0 stands for all units.
struct WATTUNE_EXPORT UnitRange {
  unsigned first = 0;
  unsigned count = 0;

  bool operator==(const UnitRange&) const = default;
};

// The options of a new stream: plain values.
struct WATTUNE_EXPORT StreamOptions {
  // CUDA: a higher value runs the blocks of its launches earlier. A value beyond the driver's few levels becomes the
  // nearest one. Other backends ignore it.
  int priority = 0;
  // CUDA: launches run only on these units (Device::unit_grain()). Other backends refuse all but the whole device.
  UnitRange units = {};
  // Hands each command to the driver at once, as in an adopted stream (attach.h): launches begin as early as possible,
  // and the device's clocks are not sampled while they run. Devices in other processes ignore it.
  bool at_once = false;

  bool operator==(const StreamOptions&) const = default;
};

// A launch in a stream.
class WATTUNE_EXPORT Event : public DeviceObject {
 public:
  using DeviceObject::DeviceObject;

  // Tells whether the launch has ended, without waiting for it. If a program calls submit() and then repeats this call,
  // it returns true in the end. No other call is needed, because this one also sends the commands that submit() could
  // not send. Fails with the error of a launch that failed or that will never run, or with device_lost.
  virtual Result<bool> ready() const = 0;
  // Returns when the launch began or ended, on a clock that all streams of the device share. Only differences have a
  // meaning. Fails with invalid_argument until the launch is ready or its stream has finished.
  virtual Result<Nanoseconds> start() const = 0;
  virtual Result<Nanoseconds> end() const = 0;
  // Returns how long the launch ran on the device, without queueing and launch latency. Fails as start() does.
  virtual Result<Nanoseconds> duration() const = 0;
  // Returns the state of the device at about the time of the launch. It is read once while the device works on the
  // stream.
  virtual Conditions conditions() const { return {}; }
};

// The limit of a wait, and the sampling of sensors meanwhile.
struct WATTUNE_EXPORT Wait {
  Nanoseconds limit;
  // Time between two readings of the sensors, which are also read at the beginning and at the end. Without a value they
  // are not read.
  std::optional<Nanoseconds> sample_every = {};
};

// A launch that is checked and laid out once and then sent again and again. Applications run tuned kernels in this way.
// Its stream, kernel and arguments must outlive it.
class WATTUNE_EXPORT PreparedLaunch {
 public:
  virtual ~PreparedLaunch() = default;
  // Sends the launch behind the commands that the stream has already, without an Event. Inputs are not restored: the
  // kernel sees what earlier commands left in the buffers. Errors are those of launch().
  virtual Result<void> send() = 0;
  // Sends the launch with an Event, as launch() does and with its errors; costs two events more than send().
  virtual Result<std::unique_ptr<Event>> send_timed() = 0;

  // Replaces the memory of buffer argument i by memory of the application, which is a CUdeviceptr, or a cl_mem as a
  // number. It takes effect at the next send. Nothing is checked, so that a call costs no more than the driver's. The
  // memory must belong to the device and be large enough. Fails with unavailable if the device is in another process,
  // or if argument i is not a buffer whose memory can be replaced.
  virtual Result<void> set_memory(std::size_t argument, std::uint64_t memory);
  // Replaces the bytes of scalar argument i. Fails with invalid_argument if the number of bytes differs or the argument
  // is no scalar.
  virtual Result<void> set_scalar(std::size_t argument, std::span<const std::byte> bytes);
};

// A kernel in a graph of launches, with its geometry and its arguments.
struct WATTUNE_EXPORT GraphNode {
  Kernel* kernel = nullptr;
  Geometry3 geometry;
  std::vector<LaunchArgument> arguments;
  std::size_t repeat = 1;  // launches of it, one after another
};

// The state of a stream, as the driver reports it without waiting.
enum class StreamState {
  idle,      // all commands have ended
  busy,      // some command has not ended
  capturing  // CUDA: commands become a graph and do not run
};

// A queue of commands that run in order. They may be held back until submit() or finish(), which may therefore return
// the error of any earlier command. The buffers, kernels and host memory that they use must live until finish().
class WATTUNE_EXPORT Stream : public DeviceObject {
 public:
  using DeviceObject::DeviceObject;

  // Writes host data into a buffer. Precondition of transfers: the sizes of data and buffers match. All commands fail
  // with invalid_argument for objects of another device or life, and with device_lost.
  virtual Result<void> write(Buffer& buffer, std::span<const std::byte> data) = 0;
  virtual Result<void> read(const Buffer& buffer, std::span<std::byte> data) = 0;
  virtual Result<void> copy(const Buffer& from, Buffer& to) = 0;
  // Sets every byte to `value`; guard zones keep their pattern.
  virtual Result<void> fill(Buffer& buffer, std::byte value) = 0;
  // Launches a kernel. Fails with launch_failed if the geometry exceeds a limit, with mismatch if the arguments do not
  // fit the kernel, and with invalid_argument for objects of another device.
  virtual Result<std::unique_ptr<Event>> launch(Kernel& kernel, const Geometry3& geometry,
                                                std::span<const LaunchArgument> arguments) = 0;
  // Prepares a launch that an application sends without times. Errors are those of launch(). With CUDA in this process,
  // sending it costs little more than the driver's own call.
  virtual Result<std::unique_ptr<PreparedLaunch>> prepare(Kernel& kernel, const Geometry3& geometry,
                                                          std::span<const LaunchArgument> arguments);
  // Prepares a graph of launches (CUDA). The graph runs the nodes one after another, and repeats the whole sequence
  // until it has run `times` times. Sending the graph is one command, so the host spends no time between its launches.
  // An Event of the graph tells the time of all launches together.
  //
  // The kernels, the buffers and the stream must outlive the graph. The graph must exist until the finish() after its
  // last send has returned. Nothing in it can be replaced. Fails with unavailable if the device has no graphs, with
  // invalid_argument if there is nothing to launch, and with the errors of launch().
  virtual Result<std::unique_ptr<PreparedLaunch>> prepare_graph(std::span<const GraphNode> nodes, std::size_t times);
  // Lets the following commands begin only when the launch of `event`, in any stream of the device, has ended. A
  // submit() or finish() of this stream also hands the device the commands of other streams that this launch needs.
  // Fails with invalid_argument for an event of another device, or of a stream that was destroyed unfinished.
  virtual Result<void> wait_for(const Event& event) = 0;
  // Grants the launches of the next finish() more time before they begin: `limit` for all of them together. Some
  // drivers (PoCL) compile a kernel at its first launch. Devices that compile everything before ignore the call.
  virtual void allow_compiling(Nanoseconds /*limit*/) {}
  // Hands the commands to the device and returns while it works. CUDA's driver blocks in transfers of ordinary host
  // memory until the stream reaches them. Such a transfer and the commands behind it are left for Event::ready(), the
  // next submit() or finish(). Fails with the first error that shows at once; then the other commands are dropped.
  virtual Result<void> submit() = 0;
  // Waits for all commands. Fails with launch_failed (the device works on), or with timeout or device_lost (it needs
  // reset()).
  virtual Result<void> finish(Nanoseconds limit) = 0;
  // Returns the state of the stream. The state of an adopted stream includes the application's commands. Fails with
  // unavailable if the driver cannot tell without waiting, with invalid_argument if the application has destroyed the
  // stream, or with device_lost.
  virtual Result<StreamState> state() const;
  // Tells whether the stream is captured into a graph. It is cheap enough to be called before each launch.
  virtual bool is_capturing() const { return false; }
  // Tells whether events report how long launches took; a queue of an application may be created without profiling.
  virtual bool keeps_times() const { return true; }
  // Returns the number of the stream, which no other stream of this process ever gets. (Addresses are used again.)
  std::uint64_t serial() const { return serial_; }
  // Finishes, then compares the guard zones of `buffer` with their pattern and renews them. Returns how many guard
  // bytes changed, before and after the buffer. Fails as finish() does.
  virtual Result<std::array<std::size_t, 2>> check_guards(Buffer& buffer, Nanoseconds limit) = 0;

 private:
  static std::uint64_t next_serial();

  std::uint64_t serial_ = next_serial();
};

}  // namespace wattune::backend
