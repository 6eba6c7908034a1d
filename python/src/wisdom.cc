// Wisdom: the best known configurations in files, as dicts with times in seconds.
#include "wattune/dynamic/wisdom.h"

#include <chrono>
#include <memory>

#include "module.h"
#include "table.h"
#include "wattune/core/version.h"

namespace wattune::python {

namespace {

using dynamic::WisdomEntry;

dynamic::Key key_from(const nb::dict& parts) {
  dynamic::Key key;
  for (const auto& [name, value] : parts)
    key.push_back({nb::cast<std::string>(name), value_from(value, "a part of a key")});
  return key;
}

Configuration configuration_from(const nb::dict& parameters) {
  auto names = std::make_shared<std::vector<std::string>>();
  std::vector<Value> values;
  for (const auto& [name, value] : parameters) {
    names->push_back(nb::cast<std::string>(name));
    values.push_back(value_from(value, "a parameter"));
  }
  return {0, std::move(names), std::move(values)};
}

// A place of wisdom: a kernel by name and version, on a model of device.
struct Place {
  dynamic::KernelVersion kernel;
  DeviceInfo device;
};
Place place_from(const nb::tuple& place) {
  const auto [name, version, device, architecture] =
      nb::cast<std::tuple<std::string, std::string, std::string, std::string>>(place);
  Place made;
  made.kernel = {name, version};
  made.device.name = device;
  made.device.architecture = architecture;
  return made;
}

class Wisdom {
 public:
  Wisdom(const std::filesystem::path& file, const std::vector<std::filesystem::path>& shipped)
      : wisdom_(value_or_raise(dynamic::Wisdom::open(file, shipped))) {}

  nb::object find(const nb::tuple& place, const nb::dict& key) const {
    const Place at = place_from(place);
    const std::optional<WisdomEntry> found = wisdom_->find(at.kernel, at.device, key_from(key));
    return found ? nb::object(record_of(*found)) : nb::object(nb::none());
  }

  bool put(const nb::tuple& place, const nb::dict& key, const nb::dict& configuration,
           const std::tuple<double, double, double>& seconds, std::uint64_t samples, bool tuned) {
    const Place at = place_from(place);
    WisdomEntry entry;
    entry.kernel = at.kernel;
    entry.device = at.device.name;
    entry.architecture = at.device.architecture;
    entry.key = key_from(key);
    entry.configuration = configuration_from(configuration);
    entry.time = nanoseconds_from_seconds(std::get<0>(seconds));
    entry.low = nanoseconds_from_seconds(std::get<1>(seconds));
    entry.high = nanoseconds_from_seconds(std::get<2>(seconds));
    entry.samples = samples;
    entry.tuned = tuned;
    entry.measured_at = std::chrono::system_clock::now();
    entry.wattune_version = kVersion;
    return value_or_raise(wisdom_->put(std::move(entry)));
  }

  void save() {
    const nb::gil_scoped_release released;
    if (const Result<void> saved = wisdom_->save(); !saved) throw Exception(saved.error());
  }

  nb::list problems() const {
    nb::list lines;
    for (const Error& problem : wisdom_->problems()) lines.append(problem.to_string());
    return lines;
  }

 private:
  std::unique_ptr<dynamic::Wisdom> wisdom_;
};

nb::list entries_of(const std::filesystem::path& file) {
  nb::list entries;
  for (const WisdomEntry& each : value_or_raise(dynamic::load_wisdom(file)).entries) entries.append(record_of(each));
  return entries;
}

}  // namespace

void bind_wisdom(nb::module_& module) {
  nb::class_<Wisdom>(module, "Wisdom")
      .def(nb::init<const std::filesystem::path&, const std::vector<std::filesystem::path>&>(), nb::arg("file"),
           nb::arg("shipped"))
      .def("find", &Wisdom::find, nb::arg("place"), nb::arg("key"))
      .def("put", &Wisdom::put, nb::arg("place"), nb::arg("key"), nb::arg("configuration"), nb::arg("seconds"),
           nb::arg("samples"), nb::arg("tuned"))
      .def("save", &Wisdom::save)
      .def("problems", &Wisdom::problems);
  module.def("entries_of", &entries_of, nb::arg("file"), "Returns the entries of a wisdom file.");
}

}  // namespace wattune::python
