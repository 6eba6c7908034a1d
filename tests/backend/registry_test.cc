#include "backend/support.h"
#include "fakes/fake_device.h"
#include "programs.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::HasSubstr;

DeviceInfo device(std::string selector, DeviceKind kind, std::string name, unsigned units, double mhz) {
  DeviceInfo info;
  info.selector = std::move(selector);
  info.backend = info.selector.substr(0, info.selector.find(':'));
  info.languages = {info.backend == "cuda" ? Language::cuda : Language::opencl};
  info.kind = kind;
  info.name = std::move(name);
  info.compute_units = units;
  info.clock_mhz = mhz;
  return info;
}

Discovery three_devices() {
  return {{device("opencl:0:0", DeviceKind::cpu, "Fast Processor", 128, 4000),
           device("opencl:1:0", DeviceKind::gpu, "Small GPU", 10, 1000),
           device("opencl:1:1", DeviceKind::gpu, "Large GPU", 20, 900)},
          {{"opencl", true, ""}}};
}

TEST(Registry, PrefersGpusThenUnitsTimesClock) {
  EXPECT_EQ(best_device(three_devices().devices) == nullptr, false);
  const auto devices = three_devices().devices;
  EXPECT_EQ(best_device(devices)->selector, "opencl:1:1");  // 20 * 900 > 10 * 1000
  EXPECT_EQ(best_device({}), nullptr);
}

TEST(Registry, SelectsByAutoSelectorBackendAndPartOfName) {
  EXPECT_EQ(select_device(three_devices(), "auto").value().selector, "opencl:1:1");
  EXPECT_EQ(select_device(three_devices(), "opencl:1:0").value().selector, "opencl:1:0");
  EXPECT_EQ(select_device(three_devices(), "opencl").value().selector, "opencl:1:1");
  EXPECT_EQ(select_device(three_devices(), "processor").value().selector, "opencl:0:0");
  EXPECT_EQ(select_device(three_devices(), "gpu").value().selector, "opencl:1:1");
}

TEST(Registry, SaysWhyABackendThatIsAskedForHasNoDevice) {
  Discovery discovery = three_devices();
  discovery.backends.push_back({"cuda", false, "no driver"});
  for (const char* wanted : {"cuda", "CUDA:0"}) {
    const auto device = select_device(discovery, wanted);
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().code(), ErrorCode::unavailable);
    EXPECT_EQ(device.error().advice(), "no driver");
  }
  EXPECT_EQ(select_device(discovery, "cu").error().code(), ErrorCode::not_found);
}

std::vector<std::string> selected(const std::string& wanted) {
  const std::vector<DeviceInfo> devices = select_devices(three_devices(), wanted).value();
  std::vector<std::string> selectors;
  for (const DeviceInfo& each : devices) selectors.push_back(each.selector);
  return selectors;
}

TEST(Registry, SelectsSeveralByListAndAllOfABackend) {
  using ::testing::ElementsAre;
  EXPECT_THAT(selected("auto"), ElementsAre("opencl:1:1"));
  EXPECT_THAT(selected("opencl:1:1,processor"), ElementsAre("opencl:1:1", "opencl:0:0"));
  EXPECT_THAT(selected("OpenCL:all"), ElementsAre("opencl:0:0", "opencl:1:0", "opencl:1:1"));
  Discovery discovery = three_devices();
  discovery.devices[0].name = "CPU, quick";
  EXPECT_EQ(select_devices(discovery, "cpu, quick").value().size(), 1u);
}

TEST(Registry, SaysWhatIsWrongWithAListOfDevices) {
  EXPECT_THAT(select_devices(three_devices(), "opencl:1:1,opencl:1:1").error().message(), HasSubstr("named twice"));
  EXPECT_EQ(select_devices(three_devices(), "opencl:1:1,opencl:1:2").error().code(), ErrorCode::not_found);
  EXPECT_THAT(select_devices(three_devices(), "gpu:all").error().to_string(), HasSubstr("opencl:all means"));
  EXPECT_EQ(select_devices(three_devices(), "cuda:all").error().code(), ErrorCode::not_found);
}

TEST(Registry, PrefersTheBackendThatIsListedFirstOnTheSameGpu) {
  const std::vector<DeviceInfo> devices{device("cuda:0", DeviceKind::gpu, "H200", 132, 1980),
                                        device("opencl:0:0", DeviceKind::gpu, "H200", 132, 1981)};
  EXPECT_EQ(best_device(devices)->selector, "cuda:0");
}

TEST(Registry, ChoosesAmongDevicesThatCompileTheKernelsLanguages) {
  Discovery discovery = three_devices();
  EXPECT_EQ(select_device(discovery, "auto", {Language::opencl}).value().selector, "opencl:1:1");
  const auto none = select_device(discovery, "auto", {Language::cuda});
  EXPECT_EQ(none.error().code(), ErrorCode::unavailable);
  EXPECT_THAT(none.error().to_string(), HasSubstr("no device for CUDA"));
  discovery.devices.insert(discovery.devices.begin(), device("cuda:0", DeviceKind::gpu, "Tiny GPU", 1, 100));
  EXPECT_EQ(select_device(discovery, "auto", {Language::cuda}).value().selector, "cuda:0");
  EXPECT_EQ(select_device(discovery, "auto", {Language::opencl}).value().selector, "opencl:1:1");
  EXPECT_EQ(select_device(discovery, "auto", {Language::opencl, Language::cuda}).value().selector, "cuda:0");
  EXPECT_EQ(select_device(discovery, "gpu", {Language::opencl}).value().selector, "opencl:1:1");
  const auto wrong = select_device(discovery, "opencl:1:1", {Language::cuda});
  EXPECT_EQ(wrong.error().code(), ErrorCode::mismatch);
  EXPECT_THAT(wrong.error().message(), HasSubstr("written in CUDA, which device `opencl:1:1` does not compile"));
}

TEST(Registry, NamesWhatExistsWhenNothingMatches) {
  const auto wrong = select_device(three_devices(), "opencl:1:2");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code(), ErrorCode::not_found);
  EXPECT_THAT(wrong.error().to_string(), HasSubstr("did you mean `opencl:1:0`?"));
  EXPECT_FALSE(select_device(three_devices(), ""));
}

TEST(Registry, SaysWhyThereIsNoDevice) {
  const auto none = select_device({{}, {{"opencl", false, "no loader"}}}, "auto");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), ErrorCode::unavailable);
  EXPECT_THAT(none.error().to_string(), HasSubstr("opencl: no loader"));
}

TEST(Registry, DiscoversEveryBackendOrSaysWhyNot) {
  const Discovery discovery = discover();
  ASSERT_EQ(discovery.backends.size(), 3u);
  EXPECT_EQ(discovery.backends[0].backend, "cuda");
  EXPECT_EQ(discovery.backends[1].backend, "opencl");
  for (const BackendStatus& status : discovery.backends) {
    EXPECT_TRUE(status.available || !status.reason.empty()) << status.backend;
    EXPECT_EQ(status.available, std::ranges::count(discovery.devices, status.backend, &DeviceInfo::backend) > 0);
  }
}

TEST(Registry, RefusesUnknownSelectors) {
  const auto backend = open_device("opncl:0:0");
  ASSERT_FALSE(backend);
  EXPECT_EQ(backend.error().code(), ErrorCode::not_found);
  EXPECT_THAT(backend.error().to_string(), HasSubstr("did you mean `opencl`?"));
  SKIP_WITHOUT_OPENCL();
  EXPECT_EQ(open_device("opencl:7:0").error().code(), ErrorCode::not_found);
}

// A backend of a test, registered as long as the object lives.
class Registered {
 public:
  explicit Registered(Backend backend) : name_(backend.name) { register_backend(std::move(backend)).value(); }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;
  ~Registered() { unregister_backend(name_); }

 private:
  std::string name_;
};

Result<std::vector<DeviceInfo>> list_mine() {
  return std::vector<DeviceInfo>{device("mine:0", DeviceKind::simulated, "My device", 1, 1)};
}

Result<std::unique_ptr<Device>> open_mine(const std::string& selector) {
  if (selector != "mine:0") return Error(ErrorCode::not_found, "mine has no such device");
  return std::unique_ptr<Device>(std::make_unique<fakes::FakeDevice>((*list_mine())[0]));
}

std::vector<std::string> names_of(const Discovery& discovery) {
  std::vector<std::string> names;
  for (const BackendStatus& status : discovery.backends) names.push_back(status.backend);
  return names;
}

TEST(Registry, ABackendThatIsRegisteredIsFoundOpenedAndCompilesAsTheOthers) {
  const Registered mine(
      {.name = "mine", .discover = list_mine, .open = open_mine, .compile = [](const auto&, const auto&, auto, auto) {
         return Image{"code", "", {}};
       }});
  const Discovery discovery = discover();
  EXPECT_EQ(discovery.backends.back().backend, "mine");
  EXPECT_TRUE(discovery.backends.back().available);
  EXPECT_EQ(select_device(discovery, "mine:0").value().name, "My device");
  EXPECT_EQ(select_device(discovery, "mine", {Language::opencl}).value().selector, "mine:0");
  EXPECT_EQ(select_device(discovery, "mine", {Language::cuda}).error().code(), ErrorCode::mismatch);
  EXPECT_EQ(open_device("mine:0").value()->info().selector, "mine:0");
  EXPECT_EQ(open_device("mine:1").error().message(), "mine has no such device");
  EXPECT_EQ(compile_image({.backend = "mine"}, {}, {}, kLimit).value().code, "code");
  EXPECT_EQ(compile_image({.backend = "host"}, {}, {}, kLimit).error().code(), ErrorCode::invalid_argument);
}

TEST(Registry, ABackendIsThereUntilItIsTakenOut) {
  { const Registered mine({.name = "mine", .discover = list_mine, .open = open_mine}); }
  EXPECT_THAT(names_of(discover()), ::testing::ElementsAre("cuda", "opencl", "host"));
  EXPECT_EQ(open_device("mine:0").error().code(), ErrorCode::not_found);
}

TEST(Registry, ListsBackendsInTheOrderOfTheirPreference) {
  const Registered mine({.name = "mine", .discover = list_mine, .open = open_mine, .preference = 25});
  EXPECT_THAT(names_of(discover()), ::testing::ElementsAre("cuda", "mine", "opencl", "host"));
}

TEST(Registry, TellsWhatARegisteredBackendLacks) {
  const Registered lacking(
      {.name = "mine", .discover = list_mine, .open = open_mine, .missing = [] { return std::string("half of it"); }});
  const Registered none(
      {.name = "none",
       .discover = []() -> Result<std::vector<DeviceInfo>> { return Error(ErrorCode::unavailable, "no driver"); },
       .open = open_mine});
  const Discovery discovery = discover();
  EXPECT_EQ(discovery.backends[3].reason, "half of it");
  EXPECT_TRUE(discovery.backends[3].available);
  EXPECT_EQ(discovery.backends[4].reason, "no driver");
  EXPECT_FALSE(discovery.backends[4].available);
}

TEST(Registry, RefusesBackendsThatNobodyCouldName) {
  const auto refusal = [](Backend backend) { return register_backend(std::move(backend)).error().code(); };
  EXPECT_EQ(refusal({.name = "cuda", .discover = list_mine, .open = open_mine}), ErrorCode::already_exists);
  for (const char* name : {"", "auto", "a:b", "a,b", "A"})
    EXPECT_EQ(refusal({.name = name, .discover = list_mine, .open = open_mine}), ErrorCode::invalid_argument) << name;
  EXPECT_EQ(refusal({.name = "mine", .discover = list_mine, .open = {}}), ErrorCode::invalid_argument);
}

// wattune-fake-worker registers `fake`, which this process does not know.
TEST(Registry, AWorkerHasTheBackendsThatItsProgramRegisters) {
  const WorkerOptions options{.executable = test::program("wattune-fake-worker")};
  const Discovery discovery = discover_in_worker(options).value();
  EXPECT_THAT(names_of(discovery), ::testing::ElementsAre("fake"));
  EXPECT_THAT(discovery.devices.at(0).languages, ::testing::ElementsAre(Language::opencl));
  EXPECT_TRUE(open_device_in_worker("fake:0", options));
  EXPECT_EQ(open_device("fake:0").error().code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace wattune::backend
