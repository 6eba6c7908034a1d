// Compositions: several kernels and host code that share parameters and are tuned as one unit (Petrovic et al.
// 2020, 3.1 and 3.2.1: the tuning manipulator; KTT's launcher).
//
// The application writes a function that takes a Context. The Context tells which configuration runs, and launches,
// copies, resizes and waits. The function runs in the calling thread, may use several streams, and launches as often as
// it likes, differently in each configuration. Memory that it allocates through the Context belongs to the composition
// and is kept between calls.
//
//   CompositionSpec bicg{.name = "bicg", .kernels = {fused, ap, atr}, .parameters = ..., .run = [](Context& context) {
//     if (context.integer("FUSED")) return context.launch("fused");
//     WATTUNE_TRY(context.launch("ap"));
//     return context.launch("atr");
//   }};
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/backend/launch.h"
#include "wattune/core/export.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/dynamic/call.h"
#include "wattune/dynamic/tunable_kernel.h"

namespace wattune::inline v0_1::dynamic {

// The differences between one launch and the kernel's spec.
struct WATTUNE_EXPORT LaunchChange {
  std::optional<backend::Geometry3> geometry = {};
  // Arguments of this launch, each of which replaces the argument of the same name.
  std::vector<std::pair<std::string, CallArgument>> arguments = {};
  // Stream of the launch. 0 is the caller's stream; 1 to 32 belong to the composition. At its first use in a call, each
  // of these streams waits for all commands that stream 0 got before. At the call's end stream 0 waits for each of
  // them.
  std::size_t stream = 0;
};

// The interface through which the function of a composition works. It is valid during the call, in the calling thread.
class WATTUNE_EXPORT Context {
 public:
  virtual ~Context() = default;

  virtual const Configuration& configuration() const = 0;
  // Returns a parameter's value. Precondition: a parameter of this name and type exists.
  virtual std::int64_t integer(std::string_view parameter) const = 0;
  virtual double real(std::string_view parameter) const = 0;
  virtual bool flag(std::string_view parameter) const = 0;
  virtual std::string text(std::string_view parameter) const = 0;
  // Returns a size of this call.
  virtual std::int64_t size(std::string_view name) const = 0;

  // Launches a kernel of the composition, by its name, with the arguments of its spec. Memory and scalars are looked up
  // by name, first in the call, then in the composition. Memory that does not exist yet is created, as large as the
  // spec says. Fails with not_found, with invalid_argument if an argument has another type, with launch_failed, and
  // with out_of_range if there is no such stream.
  virtual Result<void> launch(std::string_view kernel, const LaunchChange& change = {}) = 0;
  // Returns the geometry that the spec gives for this configuration. The caller may change it and pass it to launch().
  // Fails with not_found if there is no such kernel.
  virtual Result<backend::Geometry3> geometry(std::string_view kernel) const = 0;

  // Returns an argument of the call, or memory that the composition owns. Fails with not_found if neither has this
  // name.
  virtual Result<CallArgument> argument(std::string_view name) const = 0;
  // Creates memory that the composition owns, or changes its size and keeps the contents of the part that stays.
  // Kernels may have its name as an argument. The memory lives until the composition ends, and each stream in which
  // calls are made has its own. Results of earlier argument() or resize() calls for this name become invalid. Fails
  // with invalid_argument if the call passes this memory, with unavailable while the stream is captured, and with
  // errors of the device.
  virtual Result<CallArgument> resize(std::string_view name, std::size_t bytes) = 0;
  // Swaps the memory of two names for the rest of this call (KTT's SwapArguments). Fails with not_found if one of the
  // names has no memory.
  virtual Result<void> swap(std::string_view a, std::string_view b) = 0;
  // Sets a scalar for all later launches of this call (KTT's UpdateScalarArgument). Fails with not_found if no kernel
  // has a scalar of that name.
  virtual Result<void> set(std::string_view name, const CallArgument& scalar) = 0;

  // The next four functions act on the first bytes of the memory with that name. Host memory must live until the stream
  // is synchronised, and is complete after that. A transfer in a stream other than 0 returns only when it is over. Each
  // function fails with mismatch if the memory is smaller than the transfer.

  virtual Result<void> write(std::string_view name, std::span<const std::byte> data, std::size_t stream = 0) = 0;
  virtual Result<void> read(std::string_view name, std::span<std::byte> data, std::size_t stream = 0) = 0;
  virtual Result<void> copy(std::string_view from, std::string_view to, std::size_t stream = 0) = 0;
  virtual Result<void> fill(std::string_view name, std::byte value, std::size_t stream = 0) = 0;
  // Makes stream `later` wait for everything that stream `earlier` was given so far. Fails with out_of_range if there
  // is no such stream.
  virtual Result<void> order(std::size_t earlier, std::size_t later) = 0;
  // Waits for a stream, or for all of them if none is given. Fails with out_of_range if there is no such stream, and
  // with errors of its commands.
  virtual Result<void> synchronize(std::optional<std::size_t> stream = {}) = 0;
};

// The kernels, the parameters and the function of a composition.
struct WATTUNE_EXPORT CompositionSpec {
  std::string name;
  // Sources, arguments and launches of the kernels. Arguments of equal names are one argument. The parameters and
  // constraints below apply to all kernels; those in the kernels' own specs are not used.
  std::vector<KernelSpec> kernels;
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  std::vector<NamedSize> sizes;
  // The work of one call. It runs in the calling thread, and several threads may call it at the same time. It is an
  // Error if the function launches nothing or throws an exception. The function must do the same at every call, and
  // must not call its own composition.
  std::function<Result<void>(Context& context)> run;
  // Names of the arguments that a call passes, in order; each is an argument of some kernel. Other arguments of the
  // kernels belong to the composition.
  std::vector<std::string> arguments;
  // True if write() and read() in stream 0 count in the time by which configurations are compared. Set it to false if
  // all configurations transfer the same bytes, so that the noise of the transfers does not hide the differences of the
  // configurations.
  bool times_transfers = true;
};

// A composition, called like a TunableKernel. It cannot be screened (Safety in policy.h), because its function is the
// application's code. Its configurations are trusted or shadowed. A shadowed call compares the outputs that the
// kernels' specs name.
//
// A call that went wrong after it launched kernels cannot be repeated if an argument is both read and written. Such a
// call fails with cancelled.
class WATTUNE_EXPORT TunableComposition {
 public:
  virtual ~TunableComposition() = default;

  // Calls the composition. Errors are those of TunableKernel::call(), and those that the function returns.
  template <typename... Arguments>
  Result<void> operator()(const CallStream& stream, const Arguments&... arguments) {
    const std::array<CallArgument, sizeof...(Arguments)> all{CallArgument(arguments)...};
    return call(stream, all);
  }
  virtual Result<void> call(const CallStream& stream, std::span<const CallArgument> arguments,
                            const CallOptions& options = {}) = 0;
  virtual void set_mode(Mode mode) = 0;
  virtual void retune(const Key& key = {}) = 0;
  // Compiles and loads as TunableKernel::preload() does. Memory that the function allocates exists only after its first
  // call.
  virtual Result<void> preload(std::span<const NamedSize> sizes) = 0;
  virtual Result<void> expect(std::span<const NamedSize> sizes, std::optional<std::uint64_t> calls = {}) = 0;
  virtual std::optional<Configuration> best(const Key& key) const = 0;
  virtual KernelReport report() const = 0;
};

}  // namespace wattune::dynamic
