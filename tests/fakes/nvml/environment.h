// The environment variables that steer the stand-in for NVML (fake_nvml.h lists them), and the log and the faults of
// its calls.
#pragma once

#include <cstdlib>
#include <string>

#include "backend/interface/nvml_api.h"

namespace wattune::fakes {

inline const char* from_environment(const std::string& name) {
  return std::getenv(("WATTUNE_FAKE_NVML_" + name).c_str());
}

inline int from_environment(const std::string& name, int otherwise) {
  const char* const text = from_environment(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

// Appends a line to a file that several processes may append to.
void append_line(const char* file, const char* text);

// Logs that a call of this function began, and counts it for WATTUNE_FAKE_NVML_FAULT, whose code it returns.
backend::nvml::nvmlReturn_t entered(const char* function);

}  // namespace wattune::fakes

// The beginning of every function.
#define WATTUNE_FAKE_NVML_ENTRY()                                                                           \
  if (const auto fault_code = wattune::fakes::entered(__func__); fault_code != backend::nvml::NVML_SUCCESS) \
  return fault_code
