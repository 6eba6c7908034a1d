// Stream, Event, PreparedLaunch: what a device is to do, one thing after the other, and what became of it.
//
// Streams are made by a Device (device.h, which says what threads may do). The caller owns them and the events of their
// launches, which outlive their stream, but tell nothing more if it is destroyed unfinished. A stream collects what it
// is given. submit() hands it to the device, finish() waits for it besides. One that is adopted (attach.h) collects
// nothing.
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

#include "wattune/backend/device_object.h"
#include "wattune/backend/launch.h"
#include "wattune/backend/sensors.h"
#include "wattune/backend/stream_options.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::backend {

// A launch in a stream.
class Event : public DeviceObject {
 public:
  using DeviceObject::DeviceObject;

  // Whether the launch has ended, asked without waiting for it. Once its stream was submitted, it becomes true by and
  // by if it is asked again: the question also hands over what submit() had to leave. The error of a launch that failed
  // or that will never run; device_lost.
  virtual Result<bool> ready() const = 0;
  // When the launch began and ended, on a clock that all streams of the device share. Only differences mean something.
  // invalid_argument until it is ready or its stream has finished.
  virtual Result<Nanoseconds> start() const = 0;
  virtual Result<Nanoseconds> end() const = 0;
  // How long the launch ran on the device, without queueing and launch latency.
  virtual Result<Nanoseconds> duration() const = 0;
  // What the device was like about then: read once when the stream is handed to it, while it works.
  virtual Conditions conditions() const { return {}; }
};

// How long to wait, and what to do meanwhile.
struct Wait {
  Nanoseconds limit;
  // Reads the sensors at the beginning, whenever this has passed, and at the end.
  std::optional<Nanoseconds> sample_every = {};
};

// A launch that was checked and laid out once, to be sent again and again: how an application runs a tuned kernel.
// Its stream and what it was prepared with outlive it.
class PreparedLaunch {
 public:
  virtual ~PreparedLaunch() = default;
  // Sends it behind what the stream was given before, untimed; buffers are read as they are by then. As launch().
  virtual Result<void> send() = 0;
  // The same with a time, as launch() gives it; costs two events more.
  virtual Result<std::unique_ptr<Event>> send_timed() = 0;

  // What is sent from here on has this memory of the application's in the place of buffer argument i: a CUdeviceptr, or
  // a cl_mem as a number. Nothing is checked, so that a call costs no more than the driver's: the memory must be of the
  // device, and large enough. unavailable: the stream's device is in another process, or it is no such argument.
  virtual Result<void> set_memory(std::size_t argument, std::uint64_t memory);
  // As many bytes in the place of scalar argument i. invalid_argument: another number of them, or no scalar.
  virtual Result<void> set_scalar(std::size_t argument, std::span<const std::byte> bytes);
};

// What a stream is doing, as the driver says without waiting.
enum class StreamState {
  idle,      // all that it was given has ended
  busy,      // something has not
  capturing  // CUDA: what it is given becomes a graph and does not run
};

// Commands run in order. They may be held back until submit() or finish(), so errors of any of them may surface there,
// and the buffers, kernels and host memory they use must live until finish().
class Stream : public DeviceObject {
 public:
  using DeviceObject::DeviceObject;

  // Precondition: the sizes of data and buffers match.
  virtual Result<void> write(Buffer& buffer, std::span<const std::byte> data) = 0;
  virtual Result<void> read(const Buffer& buffer, std::span<std::byte> data) = 0;
  virtual Result<void> copy(const Buffer& from, Buffer& to) = 0;
  // Sets every byte to `value`; guard zones keep their pattern.
  virtual Result<void> fill(Buffer& buffer, std::byte value) = 0;
  virtual Result<std::unique_ptr<Event>> launch(Kernel& kernel, const Geometry3& geometry,
                                                std::span<const LaunchArgument> arguments) = 0;
  // For launches that are not timed. CUDA, in this process: sending it costs little more than the driver's own call.
  virtual Result<std::unique_ptr<PreparedLaunch>> prepare(Kernel& kernel, const Geometry3& geometry,
                                                          std::span<const LaunchArgument> arguments);
  // What comes after it begins only when the launch of `event`, in any stream of the device, has ended. Whoever hands
  // this stream to the device hands over what that launch needs as well. invalid_argument (an event of another device,
  // or of a stream that was destroyed unfinished).
  virtual Result<void> wait_for(const Event& event) = 0;
  // In the next finish(), launches may take so much longer before they begin, all together: some drivers (PoCL's)
  // compile a kernel at its first launch. Devices that compile everything before ignore it.
  virtual void allow_compiling(Nanoseconds /*limit*/) {}
  // Hands the commands to the device and returns while it works. Transfers of ordinary host memory block in CUDA's
  // driver until the stream has come to them: these, and what comes behind them, are left for Event::ready(), the next
  // submit() or finish(). What it finds wrong at once, after which the rest of the commands is dropped.
  virtual Result<void> submit() = 0;
  // Waits for all commands. launch_failed (the device works on); timeout and device_lost (it needs reset()).
  virtual Result<void> finish(Nanoseconds limit) = 0;
  // Of one that is adopted as the driver sees it, with what the application gave it. unavailable: the driver cannot say
  // without waiting; invalid_argument: the application has destroyed it; device_lost.
  virtual Result<StreamState> state() const;
  // The part of it that costs so little that every call can ask.
  virtual bool is_capturing() const { return false; }
  // Whether events tell how long launches took: a queue of an application's may be made not to.
  virtual bool keeps_times() const { return true; }
  // No other stream of this process has it or will: addresses are used again.
  std::uint64_t serial() const { return serial_; }
  // Finishes, then compares the guard zones of `buffer` with their pattern and renews them.
  // Returns how many guard bytes changed, before and after the buffer.
  virtual Result<std::array<std::size_t, 2>> check_guards(Buffer& buffer, Nanoseconds limit) = 0;

 private:
  static std::uint64_t next_serial();

  std::uint64_t serial_ = next_serial();
};

}  // namespace wattune::backend
