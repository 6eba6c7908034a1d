// Kernel: the best configuration, called like a function on the caller's arrays.
#include <atomic>
#include <map>

#include "module.h"
#include "own_arguments.h"
#include "spec.h"
#include "wattune/backend/attach.h"
#include "wattune/backend/registry.h"
#include "wattune/dynamic/tuner.h"

namespace wattune::python {

namespace {

using backend::OwnArgument;

constexpr Nanoseconds kCallLimit = nanoseconds_from_seconds(600);  // of a call on arrays of the host

// Memory of the host that an argument of a call is copied from and, if the kernel writes it, to.
struct HostArray {
  std::byte* memory = nullptr;
  std::size_t bytes = 0;
  bool written = false;
};

// A device with the kernel on it.
class Site {
 public:
  static Result<std::unique_ptr<Site>> make(std::unique_ptr<backend::Device> device, const KernelSpec& spec) {
    auto site = std::make_unique<Site>();
    site->device_ = std::move(device);
    WATTUNE_ASSIGN(site->tuner_, dynamic::Tuner::attach(*site->device_, {.compile_processes = 0}));
    dynamic::TuningPolicy policy{.mode = dynamic::Mode::best, .safety = dynamic::Safety::trusted};
    policy.watch_every.reset();
    WATTUNE_ASSIGN(site->kernel_, site->tuner_->kernel(spec, {.policy = policy}));
    return site;
  }

  Result<void> call(const dynamic::CallStream& stream, std::span<const OwnArgument> arguments,
                    std::span<const NamedSize> sizes) {
    return kernel_->call(stream, arguments, {.sizes = sizes});
  }
  backend::Device& device() { return *device_; }

 private:
  std::unique_ptr<backend::Device> device_;
  std::unique_ptr<dynamic::Tuner> tuner_;
  std::unique_ptr<dynamic::TunableKernel> kernel_;
};

class Kernel {
 public:
  Kernel(const Spec& spec, std::string selector) : spec_(spec.spec), selector_(std::move(selector)) {}

  // Calls it on memory of a CUDA device, in a stream of the caller's. Arguments are addresses, or bytes of scalars.
  void call_cuda(const nb::list& arguments, std::uint64_t stream, int device, const nb::dict& sizes) {
    const std::vector<NamedSize> named = sizes_from(sizes);
    const std::vector<OwnArgument> own = own_arguments(spec_, arguments);
    const nb::gil_scoped_release released;
    const Result<void> done = [&]() -> Result<void> {
      WATTUNE_ASSIGN(Site* const site, cuda_site(device));
      return site->call(reinterpret_cast<CUstream_st*>(stream), own, named);
    }();
    if (!done) throw Exception(done.error());
  }

  // Calls it on memory of the host, given as (address, bytes, written), and waits.
  void call_host(const nb::list& arguments, const nb::dict& sizes) {
    const std::vector<NamedSize> named = sizes_from(sizes);
    std::vector<HostArray> arrays(nb::len(arguments));
    std::vector<OwnArgument> scalars(arrays.size(), OwnArgument(nullptr));
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const nb::handle each = arguments[i];
      if (nb::isinstance<nb::bytes>(each)) {
        scalars[i] = scalar_at(spec_, i, nb::cast<nb::bytes>(each));
        continue;
      }
      const auto [address, bytes, written] = nb::cast<std::tuple<std::uint64_t, std::size_t, bool>>(each);
      arrays[i] = {reinterpret_cast<std::byte*>(address), bytes, written};
    }
    const nb::gil_scoped_release released;
    if (const Result<void> done = call_copies(arrays, scalars, named); !done) throw Exception(done.error());
  }

 private:
  Result<Site*> cuda_site(int device) {
    std::unique_ptr<Site>& site = cuda_[device];
    if (site == nullptr) {
      WATTUNE_ASSIGN(auto opened, backend::open_cuda_in_primary_context("cuda:" + std::to_string(device)));
      WATTUNE_ASSIGN(site, Site::make(std::move(opened), spec_));
    }
    return site.get();
  }

  Result<Site*> own_site() {
    if (own_ == nullptr) {
      WATTUNE_ASSIGN(auto opened, backend::open_device(selector_));
      WATTUNE_ASSIGN(own_, Site::make(std::move(opened), spec_));
    }
    return own_.get();
  }

  // Copies the arrays to the device, calls the kernel, and copies back what it writes.
  Result<void> call_copies(const std::vector<HostArray>& arrays, const std::vector<OwnArgument>& scalars,
                           const std::vector<NamedSize>& sizes) {
    WATTUNE_ASSIGN(Site* const site, own_site());
    WATTUNE_ASSIGN(const auto stream, site->device().create_stream());
    std::vector<std::unique_ptr<backend::Buffer>> buffers(arrays.size());
    std::vector<OwnArgument> own;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (arrays[i].memory == nullptr) {
        own.push_back(scalars[i]);
        continue;
      }
      WATTUNE_ASSIGN(buffers[i], site->device().create_buffer(arrays[i].bytes));
      WATTUNE_TRY(stream->write(*buffers[i], {arrays[i].memory, arrays[i].bytes}));
      own.emplace_back(*buffers[i]);
    }
    WATTUNE_TRY(site->call(*stream, own, sizes));
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (arrays[i].written) WATTUNE_TRY(stream->read(*buffers[i], {arrays[i].memory, arrays[i].bytes}));
    return stream->finish(kCallLimit);
  }

  const KernelSpec spec_;
  const std::string selector_;
  std::map<int, std::unique_ptr<Site>> cuda_;  // by the number of the device
  std::unique_ptr<Site> own_;                  // for arrays of the host
};

}  // namespace

void bind_call(nb::module_& module) {
  nb::class_<Kernel>(module, "Kernel")
      .def(nb::init<const Spec&, std::string>(), nb::arg("spec"), nb::arg("selector"))
      .def("call_cuda", &Kernel::call_cuda, nb::arg("arguments"), nb::arg("stream"), nb::arg("device"),
           nb::arg("sizes"))
      .def("call_host", &Kernel::call_host, nb::arg("arguments"), nb::arg("sizes"));
}

}  // namespace wattune::python
