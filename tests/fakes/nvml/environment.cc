#include "fakes/nvml/environment.h"

#include <fcntl.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <vector>

namespace wattune::fakes {

namespace {

// A fault: "FUNCTION:N:CODE" or "FUNCTION:N+:CODE".
struct Fault {
  std::string function;  // "*" for all of them, counted together
  int call = 0;
  bool from_then_on = false;
  int code = 0;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1)
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

std::vector<Fault> faults() {
  std::vector<Fault> faults;
  const char* const text = from_environment("FAULT");
  if (text == nullptr) return faults;
  for (const std::string& each : split(text, ',')) {
    const std::vector<std::string> parts = split(each, ':');
    if (parts.size() != 3) std::abort();  // a test that names no fault tests nothing
    faults.push_back({parts[0], std::atoi(parts[1].c_str()), parts[1].ends_with('+'), std::atoi(parts[2].c_str())});
  }
  return faults;
}

bool strikes(const Fault& fault, const std::string& function, std::map<std::string, int>& calls) {
  if (fault.function != "*" && fault.function != function) return false;
  const int call = calls[fault.function];
  return fault.from_then_on ? call >= fault.call : call == fault.call;
}

}  // namespace

void append_line(const char* file, const char* text) {
  const std::string line = std::string(text) + "\n";
  const int descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (descriptor < 0) return;
  if (write(descriptor, line.data(), line.size()) < 0) std::abort();
  close(descriptor);
}

backend::nvml::nvmlReturn_t entered(const char* function) {
  static std::mutex one_at_a_time;
  static std::map<std::string, int> calls;
  if (const char* const log = from_environment("LOG")) append_line(log, function);
  const std::lock_guard lock(one_at_a_time);
  ++calls[function];
  ++calls["*"];
  for (const Fault& fault : faults())
    if (strikes(fault, function, calls)) return fault.code;
  return backend::nvml::NVML_SUCCESS;
}

}  // namespace wattune::fakes
