#include "power/nvml_board.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "backend/interface/nvml_sensors.h"
#include "power/asked_sensor.h"
#include "power/bus_id.h"
#include "power/nvml_traits.h"

namespace wattune::inline v0_1::power {

using namespace backend::nvml;

namespace {

// A board with its known facts, before any sensor is added.
struct NvmlBoard {
  const NvmlApi& nvml;
  nvmlDevice_t device;
  NvmlGeneration generation;
};

Error nvml_error(nvmlReturn_t code) {
  const bool lost = code == NVML_ERROR_GPU_IS_LOST;
  return Error(lost ? ErrorCode::device_lost : ErrorCode::unavailable, "NVML: " + nvml_reason(code));
}

Error mig_error(const std::string& name) {
  return Error(ErrorCode::unavailable,
               fmt::format("the board {} is divided into instances (MIG), and power is told of the whole board alone, "
                           "which is never given to an instance",
                           name))
      .hint("`nvidia-smi -mig 0` makes it whole again");
}

// Returns a text that NVML writes to a buffer; empty if NVML does not report it.
template <typename Function, typename... First>
std::string nvml_text(Function function, First... first) {
  std::array<char, 96> text{};
  const auto size = static_cast<unsigned>(text.size() - 1);
  return call(function, first..., text.data(), size) == NVML_SUCCESS ? text.data() : std::string();
}

std::string bus_id_of(const NvmlApi& nvml, nvmlDevice_t device) {
  nvmlPciInfo_t pci{};
  if (call(nvml.nvmlDeviceGetPciInfo_v3, device, &pci) != NVML_SUCCESS) return {};
  pci.busId[sizeof pci.busId - 1] = '\0';
  return plain_bus_id(pci.busId);
}

double number_of(const nvmlFieldValue_t& field) {
  switch (field.valueType) {
    case NVML_VALUE_TYPE_DOUBLE: return field.value.dVal;
    case NVML_VALUE_TYPE_UNSIGNED_INT: return field.value.uiVal;
    case NVML_VALUE_TYPE_UNSIGNED_LONG: return static_cast<double>(field.value.ulVal);
    case NVML_VALUE_TYPE_SIGNED_LONG_LONG: return static_cast<double>(field.value.sllVal);
    case NVML_VALUE_TYPE_SIGNED_INT: return field.value.siVal;
    case NVML_VALUE_TYPE_UNSIGNED_SHORT: return field.value.usVal;
    default: return static_cast<double>(field.value.ullVal);
  }
}

Result<double> field_of(const NvmlBoard& board, unsigned id, unsigned scope) {
  nvmlFieldValue_t field{};
  field.fieldId = id;
  field.scopeId = scope;
  nvmlReturn_t code = call(board.nvml.nvmlDeviceGetFieldValues, board.device, 1, &field);
  if (code == NVML_SUCCESS) code = field.nvmlReturn;
  if (code != NVML_SUCCESS) return nvml_error(code);
  return number_of(field);
}

// Converts the reading to watts. Fails for 0 W, which virtual boards report although every board draws power.
Result<Watts> watts_of(double milliwatts) {
  if (milliwatts > 0.0) return Watts(milliwatts / 1e3);
  return Error(ErrorCode::unavailable, "NVML: it tells 0 W");
}

AskedSensor<Joules> energy_counter(const NvmlBoard& board) {
  const auto ask = [board]() -> Result<Joules> {
    unsigned long long millijoules = 0;
    const nvmlReturn_t code = call(board.nvml.nvmlDeviceGetTotalEnergyConsumption, board.device, &millijoules);
    if (code != NVML_SUCCESS) return nvml_error(code);
    return Joules(static_cast<double>(millijoules) / 1e3);
  };
  return {{"nvml.energy.counter", Scope::gpu, assumed_counter_traits(board.generation)}, ask};
}

AskedSensor<Joules> energy_field(const NvmlBoard& board) {
  const auto ask = [board]() -> Result<Joules> {
    WATTUNE_ASSIGN(const double millijoules,
                   field_of(board, NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION, NVML_POWER_SCOPE_GPU));
    return Joules(millijoules / 1e3);
  };
  return {{"nvml.energy.field", Scope::gpu, assumed_counter_traits(board.generation)}, ask};
}

AskedSensor<Watts> power_field(const NvmlBoard& board, NvmlPower kind, Scope scope) {
  const bool instant = kind == NvmlPower::instant;
  const unsigned id = instant ? NVML_FI_DEV_POWER_INSTANT : NVML_FI_DEV_POWER_AVERAGE;
  const unsigned of = scope == Scope::gpu ? NVML_POWER_SCOPE_GPU : NVML_POWER_SCOPE_MODULE;
  const auto ask = [=]() -> Result<Watts> {
    WATTUNE_ASSIGN(const double milliwatts, field_of(board, id, of));
    return watts_of(milliwatts);
  };
  const std::string name = fmt::format("nvml.power.{}{}", instant ? "instant" : "average",
                                       scope == Scope::gpu ? "" : fmt::format(".{}", to_string(scope)));
  return {{name, scope, assumed_traits(board.generation, kind)}, ask};
}

AskedSensor<Watts> power_usage(const NvmlBoard& board) {
  const auto ask = [board]() -> Result<Watts> {
    unsigned milliwatts = 0;
    const nvmlReturn_t code = call(board.nvml.nvmlDeviceGetPowerUsage, board.device, &milliwatts);
    if (code != NVML_SUCCESS) return nvml_error(code);
    return watts_of(milliwatts);
  };
  return {{"nvml.power.usage", Scope::gpu, assumed_traits(board.generation, NvmlPower::usage)}, ask};
}

// Returns traits with a long period: temperature changes slowly, and each question keeps NVML from answering others.
SensorTraits direct_traits() { return {.response = Response::direct, .period = nanoseconds_from_ms(100)}; }

AskedSensor<Celsius> chip_temperature(const NvmlBoard& board) {
  const auto ask = [board]() -> Result<Celsius> {
    unsigned celsius = 0;
    const nvmlReturn_t code = call(board.nvml.nvmlDeviceGetTemperature, board.device, NVML_TEMPERATURE_GPU, &celsius);
    if (code != NVML_SUCCESS) return nvml_error(code);
    return Celsius(celsius);
  };
  return {{"nvml.temperature.gpu", Scope::gpu, direct_traits()}, ask};
}

AskedSensor<Celsius> memory_temperature(const NvmlBoard& board) {
  const auto ask = [board]() -> Result<Celsius> {
    WATTUNE_ASSIGN(const double celsius, field_of(board, NVML_FI_DEV_MEMORY_TEMP, NVML_POWER_SCOPE_GPU));
    return Celsius(celsius);
  };
  return {{"nvml.temperature.memory", Scope::memory, direct_traits()}, ask};
}

// Reads only clocks and throttling. The other readings of NvmlSensors have sensors of their own here.
class NvmlConditions : public backend::Sensors {
 public:
  explicit NvmlConditions(const NvmlBoard& board) : sensors_(board.nvml, board.device) {}
  Result<backend::SensorReadings> read() override {
    return backend::SensorReadings{.conditions = sensors_.conditions()};
  }

 private:
  const NvmlSensors sensors_;
};

// Adds a line for a sensor that could not be added.
void note(std::vector<std::string>& missing, const Result<void>& added) {
  if (!added) missing.push_back(added.error().to_string());
}

// Adds a power field of the GPU. If NVML does not report it, adds the field of the GPU's module, which includes other
// chips but is better than no sensor.
Result<void> add_field(Board& board, const NvmlBoard& of, NvmlPower kind) {
  return add_first_of(board.power, {power_field(of, kind, Scope::gpu), power_field(of, kind, Scope::module)});
}

void add_usage(Board& board, const NvmlBoard& of) {
  const Result<void> added = add_first_of(board.power, {power_usage(of)});
  note(board.missing, added);
  if (!added) return;
  const SensorTraits& traits = board.power.back()->info().traits;
  const bool lag = traits.response == Response::lag;
  board.missing.push_back(fmt::format(
      "nvml.power.usage stands in for the two; of this board it is assumed to {} {:g} ms",
      lag ? "follow with a time constant of" : "be the mean of", to_ms(lag ? traits.time_constant : traits.window)));
}

void add_power(Board& board, const NvmlBoard& of) {
  note(board.missing, add_field(board, of, NvmlPower::instant));
  note(board.missing, add_field(board, of, NvmlPower::average));
  if (board.power.empty()) add_usage(board, of);
}

void add_sensors(Board& board, const NvmlBoard& of) {
  note(board.missing, add_first_of(board.energy, {energy_counter(of), energy_field(of)}));
  add_power(board, of);
  note(board.missing, add_first_of(board.temperature, {chip_temperature(of)}));
  (void)add_first_of(board.temperature, {memory_temperature(of)});  // many boards have none
  board.missing.emplace_back("voltage: NVML does not tell it");
  auto conditions = std::make_unique<NvmlConditions>(of);
  const backend::Conditions now = conditions->read().value().conditions;
  if (now.clock || now.throttled)
    board.conditions = std::move(conditions);
  else
    board.missing.emplace_back("clock and throttling: NVML does not tell them");
}

bool divided(const NvmlApi& nvml, nvmlDevice_t device) {
  unsigned now = 0;
  unsigned pending = 0;
  return call(nvml.nvmlDeviceGetMigMode, device, &now, &pending) == NVML_SUCCESS && now == NVML_FEATURE_ENABLED;
}

}  // namespace

Result<nvmlDevice_t> find_nvml_board(const NvmlApi& nvml, const std::string& name) {
  if (name.starts_with("MIG-")) return mig_error(name);
  if (!name.starts_with("GPU-")) return nvml_board(nvml, name);
  nvmlDevice_t device = nullptr;
  const nvmlReturn_t code = call(nvml.nvmlDeviceGetHandleByUUID, name.c_str(), &device);
  if (code == NVML_SUCCESS) return device;
  return nvml_error(code).with_context("the board " + name);
}

Result<Board> open_nvml_board(const NvmlApi& nvml, nvmlDevice_t device, const std::string& name) {
  if (divided(nvml, device)) return mig_error(name);
  Board board{.uuid = nvml_text(nvml.nvmlDeviceGetUUID, device),
              .name = nvml_text(nvml.nvmlDeviceGetName, device),
              .driver = nvml_text(nvml.nvmlSystemGetDriverVersion),
              .pci_bus_id = bus_id_of(nvml, device)};
  if (board.pci_bus_id.empty() && name.find(':') != std::string::npos) board.pci_bus_id = plain_bus_id(name);
  NvmlGeneration generation{.board = board.name, .driver = static_cast<unsigned>(std::atoi(board.driver.c_str()))};
  (void)call(nvml.nvmlDeviceGetArchitecture, device, &generation.architecture);
  add_sensors(board, {nvml, device, generation});
  return board;
}

BoardsFound find_nvml_boards(const NvmlApi& nvml) {
  BoardsFound found;
  unsigned count = 0;
  if (const nvmlReturn_t code = call(nvml.nvmlDeviceGetCount_v2, &count); code != NVML_SUCCESS)
    found.problems.push_back(nvml_error(code).with_context("counting the boards").to_string());
  for (unsigned i = 0; i < count; ++i) {
    nvmlDevice_t device = nullptr;
    const std::string name = fmt::format("number {}", i);
    const nvmlReturn_t code = call(nvml.nvmlDeviceGetHandleByIndex_v2, i, &device);
    Result<Board> board =
        code == NVML_SUCCESS ? open_nvml_board(nvml, device, name) : nvml_error(code).with_context("the board " + name);
    if (board)
      found.boards.push_back(*std::move(board));
    else
      found.problems.push_back(board.error().to_string());
  }
  return found;
}

}  // namespace wattune::power
