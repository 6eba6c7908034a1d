#include "power/hwmon.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>

#include "power/asked_sensor.h"
#include "power/bus_id.h"

namespace wattune::inline v0_1::power {

namespace {

namespace fs = std::filesystem;

constexpr const char* kAmd = "0x1002";  // vendor on the PCI bus

// Returns the first line of a file. Errors name the file and give the system's reason.
Result<std::string> line_of(const fs::path& file) {
  errno = 0;
  std::ifstream stream(file);
  std::string line;
  if (stream && std::getline(stream, line)) return line;
  const char* const why = errno == 0 ? "it is empty" : std::strerror(errno);
  return Error(ErrorCode::unavailable, fmt::format("cannot read {}: {}", file.string(), why));
}

Result<double> number_in(const fs::path& file) {
  WATTUNE_ASSIGN(const std::string line, line_of(file));
  double number = 0.0;
  const auto [end, code] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (code == std::errc() && end == line.data() + line.size()) return number;
  return Error(ErrorCode::unavailable, file.string() + " holds no number").about(line);
}

template <typename T>
AskedSensor<T> file_sensor(SensorInfo info, const fs::path& file, double per_unit) {
  const auto ask = [=]() -> Result<T> {
    WATTUNE_ASSIGN(const double number, number_in(file));
    return T(number / per_unit);
  };
  return {std::move(info), ask};
}

// Returns assumed traits. The driver keeps a reading for a millisecond; on one board it was seen to change every 5 ms.
SensorTraits amd_traits(Response response) {
  const Nanoseconds period = nanoseconds_from_ms(response == Response::direct ? 100 : 5);
  return {.response = response, .period = period, .window = period};
}

// Reads the clock of the compute units. Leaves throttling empty, which amdgpu does not report in these files.
class HwmonConditions : public backend::Sensors {
 public:
  explicit HwmonConditions(fs::path folder) : folder_(std::move(folder)) {}
  Result<backend::SensorReadings> read() override {
    WATTUNE_ASSIGN(const double hertz, number_in(folder_ / "freq1_input"));
    return backend::SensorReadings{.conditions = {.clock = Megahertz(hertz / 1e6)}};
  }

 private:
  const fs::path folder_;
};

void keep_line(std::vector<std::string>& missing, const Result<void>& added) {
  if (!added) missing.push_back(added.error().to_string());
}

void add_file_sensors(Board& board, const fs::path& folder) {
  // The file's name depends on the generation of the chip.
  const auto power = [&](const char* kind) {
    return file_sensor<Watts>({fmt::format("hwmon.power.{}", kind), Scope::gpu, amd_traits(Response::boxcar)},
                              folder / fmt::format("power1_{}", kind), 1e6);
  };
  keep_line(board.missing, add_first_of(board.power, {power("average"), power("input")}));
  const SensorTraits direct = amd_traits(Response::direct);
  keep_line(board.missing,
            add_first_of(board.temperature, {file_sensor<Celsius>({"hwmon.temperature", Scope::gpu, direct},
                                                                  folder / "temp1_input", 1e3)}));
  keep_line(board.missing, add_first_of(board.voltage, {file_sensor<Volts>({"hwmon.voltage", Scope::gpu, direct},
                                                                           folder / "in0_input", 1e3)}));
  auto conditions = std::make_unique<HwmonConditions>(folder);
  if (const auto now = conditions->read())
    board.conditions = std::move(conditions);
  else
    board.missing.push_back(now.error().to_string());
}

bool is_of_amd(const fs::path& device) {
  const Result<std::string> vendor = line_of(device / "vendor");
  return vendor && *vendor == kAmd;
}

// Returns the only folder in device/hwmon; its number depends on the order in which drivers started.
std::optional<fs::path> hwmon_folder(const fs::path& device) {
  std::error_code none;
  const fs::directory_iterator first(device / "hwmon", none);
  return none || first == fs::directory_iterator() ? std::nullopt : std::optional(first->path());
}

std::string text_of(const fs::path& file) {
  const Result<std::string> line = line_of(file);
  return line ? *line : "";
}

Board open_folder(const fs::path& device, const fs::path& folder) {
  Board board{.uuid = text_of(device / "unique_id"),
              .name = "AMD board " + text_of(device / "device"),
              .driver = "amdgpu",
              .pci_bus_id = plain_bus_id(device.filename().string())};
  board.missing.emplace_back("hwmon: these files have not been tried on a real board");
  board.missing.emplace_back("energy: hwmon does not tell it");
  add_file_sensors(board, folder);
  return board;
}

std::vector<fs::path> amd_devices(const fs::path& devices) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const fs::directory_entry& each : fs::directory_iterator(devices, none))
    if (is_of_amd(each.path()) && hwmon_folder(each.path())) found.push_back(each.path());
  std::ranges::sort(found);
  return found;
}

}  // namespace

Result<Board> Hwmon::open(const std::string& name) const {
  for (const fs::path& device : amd_devices(devices())) {
    const bool here = plain_bus_id(device.filename().string()) == plain_bus_id(name);
    if (here || text_of(device / "unique_id") == name) return open_folder(device, *hwmon_folder(device));
  }
  return Error(ErrorCode::unavailable, "hwmon has no files of an AMD board of that name");
}

BoardsFound Hwmon::find() const {
  BoardsFound found;
  for (const fs::path& device : amd_devices(devices()))
    found.boards.push_back(open_folder(device, *hwmon_folder(device)));
  return found;
}

}  // namespace wattune::power
