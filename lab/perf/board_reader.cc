// Reads the power and energy of an NVIDIA GPU's board by NVML directly, for SECONDS. Its numbers are compared with
// those of `wattune run --observe energy,power`, so that it shares no code with the library.
//
// The program begins and ends at a change of the energy counter. It prints one line of JSON and changes no setting of
// the board.
//
//   board_reader SECONDS [ORDINAL]
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <type_traits>

namespace {

using Device = void*;

struct FieldValue {
  unsigned field = 186;  // power.draw.instant, mW
  unsigned scope = 0;
  long long timestamp = 0;
  long long latency = 0;
  int type = 0;
  int result = 0;
  union {
    double real;
    unsigned number;
    unsigned long long large;
  } value{};
};

struct Nvml {
  int (*init)() = nullptr;
  int (*device)(unsigned, Device*) = nullptr;
  int (*energy)(Device, unsigned long long*) = nullptr;
  int (*fields)(Device, int, FieldValue*) = nullptr;

  bool load() {
    void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (library == nullptr) return false;
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    return find(init, "nvmlInit_v2") && find(device, "nvmlDeviceGetHandleByIndex_v2") &&
           find(energy, "nvmlDeviceGetTotalEnergyConsumption") && find(fields, "nvmlDeviceGetFieldValues") &&
           init() == 0;
  }
};

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Edge {
  double at;
  double joules;
};

// Waits for a change of the energy counter, and sums the readings of instant power until then.
struct Watcher {
  Nvml& nvml;
  Device device;
  double watts = 0;
  unsigned long readings = 0;

  double counter() const {
    unsigned long long millijoules = 0;
    nvml.energy(device, &millijoules);
    return 1e-3 * static_cast<double>(millijoules);
  }

  Edge next(double until) {
    const double patience = until + 5;
    double before = counter();
    for (;;) {
      usleep(5000);
      const double joules = counter();
      const double at = now();
      if ((joules != before && at >= until) || at > patience) return {at, joules};
      before = joules;
      FieldValue power;
      if (nvml.fields(device, 1, &power) != 0 || power.result != 0) continue;
      watts += 1e-3 * static_cast<double>(power.value.number);
      ++readings;
    }
  }
};

}  // namespace

int main(int count, char** arguments) {
  const double seconds = count > 1 ? std::atof(arguments[1]) : 10;
  Nvml nvml;
  Device device = nullptr;
  if (!nvml.load() || nvml.device(count > 2 ? static_cast<unsigned>(std::atoi(arguments[2])) : 0, &device) != 0) {
    std::fprintf(stderr, "NVML knows no such GPU\n");
    return 3;
  }
  Watcher watcher{nvml, device};
  const Edge begin = watcher.next(now());
  watcher.watts = 0;
  watcher.readings = 0;
  const Edge end = watcher.next(begin.at + seconds);
  std::printf("{\"seconds\": %.3f, \"joules\": %.3f, \"counter_watts\": %.2f, \"instant_watts\": %.2f}\n",
              end.at - begin.at, end.joules - begin.joules, (end.joules - begin.joules) / (end.at - begin.at),
              watcher.watts / static_cast<double>(watcher.readings));
  return 0;
}
