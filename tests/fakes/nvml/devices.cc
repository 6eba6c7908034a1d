#include "fakes/nvml/devices.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>

#include "fakes/nvml/faces.h"
#include "fakes/nvml/fake_nvml.h"
#include "fakes/nvml/profile.h"

namespace wattune::fakes {

using namespace backend::nvml;

unsigned device_count() {
  const char* const names = std::getenv("WATTUNE_FAKE_CUDA_DEVICES");
  if (names == nullptr) return 1;
  const std::string_view list = names;
  return std::min(kFakeBoards, static_cast<unsigned>(std::ranges::count(list, ',')) + 1);
}

unsigned cuda_number(unsigned index) {
  const char* const order = from_environment("ORDER");
  return order != nullptr && std::strcmp(order, "reverse") == 0 ? device_count() - 1 - index : index;
}

nvmlDevice_t handle_of(unsigned device) { return reinterpret_cast<nvmlDevice_t>(std::size_t{device} + 1); }

unsigned device_of(nvmlDevice_t handle) { return static_cast<unsigned>(reinterpret_cast<std::size_t>(handle) - 1); }

nvmlReturn_t give_handle(unsigned device, nvmlDevice_t* handle) {
  if (device >= device_count()) return NVML_ERROR_NOT_FOUND;
  return answer("HANDLE", handle, handle_of(device));
}

BoardFace& face_of(unsigned device) {
  static std::mutex one_at_a_time;
  static std::array<std::unique_ptr<BoardFace>, kFakeBoards> faces;
  const std::lock_guard lock(one_at_a_time);
  if (!faces[device]) faces[device] = profile() != nullptr ? simulated_face(device, *profile()) : constant_face(device);
  return *faces[device];
}

}  // namespace wattune::fakes

extern "C" {

void wattune_fake_nvml_pass(double nanoseconds) { wattune::fakes::fake_boards().passed_ns += nanoseconds; }

void wattune_fake_nvml_load(unsigned device, double core, double memory) {
  wattune::fakes::face_of(device).load(core, memory);
}

}  // extern "C"
