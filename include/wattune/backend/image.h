// Compiled code apart from any device. A compile process makes an Image for a CompileTarget, and Device::load() takes
// it. KernelResources and KernelParameter hold what the compiler tells about its kernels. An ImageCache keeps images by
// the hash of their inputs, so that nothing is compiled twice.
//
// Images are values that own their parts. Users share a cache, which any thread may use.
//
//   WATTUNE_ASSIGN(const auto cache, ImageCache::open(folder));
//   if (const std::optional<Image> image = cache->find(key)) return device.load(*image, macros, limit);
//   cache->store(key, compiled);
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::backend {

// The backend, device and compiler that code is made for. Equal targets make equal code of equal sources.
struct WATTUNE_EXPORT CompileTarget {
  std::string backend;                     // "cuda"
  std::string architecture;                // "sm_90"; OpenCL: the device's name
  std::optional<int> driver_version = {};  // driver that the code needs, in its own numbering; nullopt if any will do
  std::string compiler;                    // its name, version and build; OpenCL: the platform and its driver

  bool operator==(const CompileTarget&) const = default;
};

// The resources of a device that a kernel takes, as far as the backend knows them.
struct WATTUNE_EXPORT KernelResources {
  std::optional<unsigned> registers;                 // registers of a work-item
  std::optional<std::uint64_t> private_bytes;        // bytes of memory of a work-item: spilled registers and arrays
  std::optional<std::uint64_t> spill_bytes;          // the part of private_bytes that holds spilled registers
  std::optional<std::uint64_t> static_local_bytes;   // bytes of a work-group declared in the kernel (CUDA: static)
  std::optional<std::uint64_t> dynamic_local_bytes;  // bytes of a work-group set at the launch (CUDA: dynamic)
  std::optional<std::uint64_t> binary_bytes;         // size of the program
  std::optional<double> occupancy;  // resident work-items, as a share of the most that a device can hold

  bool operator==(const KernelResources&) const = default;
};

// The address space of the memory behind an argument.
enum class AddressSpace { by_value, global, constant, local };

// A parameter of a kernel, as far as it is known from the compiler or the source.
struct WATTUNE_EXPORT KernelParameter {
  std::string name = {};                    // empty if unknown
  std::string type = {};                    // type in C, without qualifiers, such as "float4*"; empty if unknown
  std::optional<AddressSpace> space = {};   // space of a pointer's memory; by_value if it is no pointer
  std::optional<ElementType> element = {};  // type of its components, or of those to which it points
  std::optional<std::size_t> bytes = {};

  bool operator==(const KernelParameter&) const = default;
};

// The kind of an Image's code, which decides the cost of loading it.
enum class ImageKind {
  other,          // a form that only its backend knows
  ptx,            // assembly; the driver compiles it at loading, for an unknown time
  cubin,          // NVIDIA's machine code
  opencl_binary,  // the binary of an OpenCL driver: machine code or an intermediate form
};

WATTUNE_EXPORT std::string_view to_string(ImageKind kind);  // the kind's name

// The compiled code of a program, with what its compiler told about it.
struct WATTUNE_EXPORT Image {
  std::string code;
  std::string log;  // the compiler's messages
  // Names of the functions as the user wrote them, with the compiler's symbol of each as the key. A function is missing
  // if the compiler did not report its symbol.
  std::map<std::string, std::string> symbols;
  std::map<std::string, KernelResources> resources = {};  // resources by symbol, as far as the compiler reported them
  // The parameters that the source declares, by function. Only functions whose symbols do not spell the parameters'
  // types are listed, and only where the declaration is clear.
  std::map<std::string, std::vector<KernelParameter>> parameters = {};
  ImageKind kind = ImageKind::other;

  bool operator==(const Image&) const = default;
};

// A cache of images in a folder or in memory. Any number of processes may use a folder at once: images appear whole or
// not at all. Files that are unreadable or damaged count as missing and are replaced. A folder that exceeds its limit
// loses its least recently used images.
class WATTUNE_EXPORT ImageCache {
 public:
  // The largest number of bytes in a folder, by default.
  static constexpr std::uint64_t kDefaultCacheBytes = std::uint64_t{1} << 30;

  // Opens a cache in a folder, and makes the folder if there is none. Files in the folder that are no images of a cache
  // stay as they are. `limit` is in bytes; processes that write at the same time may each exceed it by a sixteenth for
  // a while. Fails with io_error. Fails with invalid_argument if the folder exists but its images are not trusted,
  // because it belongs to another user or others may write there.
  static Result<std::shared_ptr<ImageCache>> open(const std::filesystem::path& folder,
                                                  std::uint64_t limit = kDefaultCacheBytes);
  // Makes a cache in the memory of this process, which lives as long as the object. It holds at most `images` entries
  // and evicts the oldest (FIFO).
  static std::shared_ptr<ImageCache> in_memory(std::size_t images);
  virtual ~ImageCache() = default;

  // Finds an image by `key`, the content_hash() of its inputs.
  virtual std::optional<Image> find(const std::string& key) const = 0;
  // Stores an image. An image that cannot be written is not kept, which is no error.
  virtual void store(const std::string& key, const Image& image) = 0;
};

}  // namespace wattune::backend
