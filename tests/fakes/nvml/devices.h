// The devices of the stand-in for NVML: those of the stand-in for libcuda, in an order that may be another.
#pragma once

#include "fakes/nvml/board_face.h"
#include "fakes/nvml/environment.h"

namespace wattune::fakes {

unsigned device_count();

// Converts NVML's index to CUDA's number of the device, and back.
unsigned cuda_number(unsigned index);

backend::nvml::nvmlDevice_t handle_of(unsigned device);
unsigned device_of(backend::nvml::nvmlDevice_t handle);

// Returns the handle, unless WATTUNE_FAKE_NVML_HANDLE says otherwise.
backend::nvml::nvmlReturn_t give_handle(unsigned device, backend::nvml::nvmlDevice_t* handle);

inline BoardFace& face_of(backend::nvml::nvmlDevice_t handle) { return face_of(device_of(handle)); }
inline FakeBoard& board_of(backend::nvml::nvmlDevice_t handle) { return fake_board(device_of(handle)); }

// Answers a question, unless the environment sets another code for it: WATTUNE_FAKE_NVML_<question>.
template <typename T>
backend::nvml::nvmlReturn_t answer(const char* question, T* to, T value) {
  const backend::nvml::nvmlReturn_t code = from_environment(question, backend::nvml::NVML_SUCCESS);
  if (code == backend::nvml::NVML_SUCCESS) *to = value;
  return code;
}

}  // namespace wattune::fakes

// The functions are declared as Wattune calls them, so that no definition can differ.
using namespace wattune::backend::nvml;
extern "C" {
#define WATTUNE_DECLARE(function, parameters) nvmlReturn_t function parameters;
WATTUNE_NVML_FUNCTIONS(WATTUNE_DECLARE)
#undef WATTUNE_DECLARE
}
