// Compositions: several kernels and host code that share parameters, tuned as one unit (paper 001, 3.1 and 3.2.1: the
// tuning manipulator; KTT's launcher).
//
// The application writes a function that gets a Context: which configuration runs, and how to launch, copy, resize and
// wait. It runs in the thread that calls, may use several streams, and launches as often as it likes: a configuration
// may take another way than the next. What it allocates through the context belongs to the composition and is kept.
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
#include "wattune/core/kernel_spec.h"
#include "wattune/dynamic/call.h"
#include "wattune/dynamic/tunable_kernel.h"

namespace wattune::dynamic {

// A launch in other terms than the kernel's spec.
struct LaunchChange {
  std::optional<backend::Geometry3> geometry = {};
  // In the place of arguments of these names.
  std::vector<std::pair<std::string, CallArgument>> arguments = {};
  // 0: the caller's; others, up to 32, are the composition's. They begin behind what stream 0 was given before their
  // first use in a call, and are joined to it at the call's end.
  std::size_t stream = 0;
};

// What the function of a composition works with; for the length of its call, in its thread.
class Context {
 public:
  virtual ~Context() = default;

  virtual const Configuration& configuration() const = 0;
  // A parameter's value. Precondition: there is such a parameter, of that type.
  virtual std::int64_t integer(std::string_view parameter) const = 0;
  virtual double real(std::string_view parameter) const = 0;
  virtual bool flag(std::string_view parameter) const = 0;
  virtual std::string text(std::string_view parameter) const = 0;
  // The sizes of this call.
  virtual std::int64_t size(std::string_view name) const = 0;

  // A kernel of the composition by its name, with the arguments of its spec: memory and scalars of the call by their
  // names, else of the composition; memory that is not there yet is made as large as the spec says. not_found,
  // invalid_argument (another type), launch_failed; out_of_range (no such stream).
  virtual Result<void> launch(std::string_view kernel, const LaunchChange& change = {}) = 0;
  // What the spec says for this configuration, to be changed and passed to launch().
  virtual Result<backend::Geometry3> geometry(std::string_view kernel) const = 0;

  // The memory of an argument of the call, or of the composition's own.
  virtual Result<CallArgument> argument(std::string_view name) const = 0;
  // Makes, or makes larger or smaller, memory that the composition owns, by a name of its choice that kernels may have
  // as an argument; the contents of what stays are kept. It lives until the composition ends, once for each stream that
  // calls are made in. What an earlier argument() or resize() gave for the name is not to be used any more.
  virtual Result<CallArgument> resize(std::string_view name, std::size_t bytes) = 0;
  // Two names change places, for this call (KTT's SwapArguments).
  virtual Result<void> swap(std::string_view a, std::string_view b) = 0;
  // A scalar for the launches that come, in this call (KTT's UpdateScalarArgument).
  virtual Result<void> set(std::string_view name, const CallArgument& scalar) = 0;

  // The first bytes of memory. Host memory lives, and is complete, when the stream was synchronised; transfers in other
  // streams than 0 return when they are over. mismatch: the memory is smaller.
  virtual Result<void> write(std::string_view name, std::span<const std::byte> data, std::size_t stream = 0) = 0;
  virtual Result<void> read(std::string_view name, std::span<std::byte> data, std::size_t stream = 0) = 0;
  virtual Result<void> copy(std::string_view from, std::string_view to, std::size_t stream = 0) = 0;
  virtual Result<void> fill(std::string_view name, std::byte value, std::size_t stream = 0) = 0;
  // Stream `later` goes on when what `earlier` was given so far has ended.
  virtual Result<void> order(std::size_t earlier, std::size_t later) = 0;
  // Waits for a stream, or all of them.
  virtual Result<void> synchronize(std::optional<std::size_t> stream = {}) = 0;
};

struct CompositionSpec {
  std::string name;
  // Their sources, arguments, launches; equal names of arguments are one argument. Parameters and constraints are those
  // below, for all of them.
  std::vector<KernelSpec> kernels;
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  std::vector<NamedSize> sizes;
  // What one call does, in the thread that calls; threads call it side by side. A composition that launches nothing is
  // an Error, and so is an exception. It does the same whoever asks, and does not call its own composition.
  std::function<Result<void>(Context& context)> run;
  // The arguments that a call passes, by name, in order; each is of a kernel. What kernels need besides is the
  // composition's own.
  std::vector<std::string> arguments;
  // Whether write() and read() in stream 0 count in the time that configurations are compared by. False where all of
  // them move the same, so that the noise of moving it hides no difference of theirs.
  bool times_transfers = true;
};

// Called as a TunableKernel is. A composition cannot be screened: its function is the application's. It is trusted, or
// shadowed by the outputs that its kernels' specs name. `cancelled`: a call failed after it had launched kernels, and
// was not repeated, as it reads and writes an argument.
class TunableComposition {
 public:
  virtual ~TunableComposition() = default;

  template <typename... Arguments>
  Result<void> operator()(const CallStream& stream, const Arguments&... arguments) {
    const std::array<CallArgument, sizeof...(Arguments)> all{CallArgument(arguments)...};
    return call(stream, all);
  }
  virtual Result<void> call(const CallStream& stream, std::span<const CallArgument> arguments,
                            const CallOptions& options = {}) = 0;
  virtual void set_mode(Mode mode) = 0;
  virtual void retune(const Key& key = {}) = 0;
  // As TunableKernel::preload(); what the function allocates is there after its first call only.
  virtual Result<void> preload(std::span<const NamedSize> sizes) = 0;
  virtual Result<void> expect(std::span<const NamedSize> sizes, std::uint64_t calls = 0) = 0;
  virtual std::optional<Configuration> best(const Key& key) const = 0;
  virtual KernelReport report() const = 0;
};

}  // namespace wattune::dynamic
