#include "backend/support.h"

namespace wattune::backend {
namespace {

using ::testing::HasSubstr;

DeviceInfo device(std::string selector, DeviceKind kind, std::string name, unsigned units, double mhz) {
  DeviceInfo info;
  info.selector = std::move(selector);
  info.backend = info.selector.substr(0, info.selector.find(':'));
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

TEST(Registry, PrefersCudaToOpenClOnTheSameGpu) {
  const std::vector<DeviceInfo> devices{device("opencl:0:0", DeviceKind::gpu, "H200", 132, 1981),
                                        device("cuda:0", DeviceKind::gpu, "H200", 132, 1980)};
  EXPECT_EQ(best_device(devices)->selector, "cuda:0");
}

TEST(Registry, ChoosesAmongDevicesThatCompileTheKernelsLanguages) {
  Discovery discovery = three_devices();
  EXPECT_EQ(select_device(discovery, "auto", {Language::opencl}).value().selector, "opencl:1:1");
  const auto none = select_device(discovery, "auto", {Language::cuda});
  EXPECT_EQ(none.error().code(), ErrorCode::unavailable);
  EXPECT_THAT(none.error().to_string(), HasSubstr("no device for CUDA"));
  discovery.devices.push_back(device("cuda:0", DeviceKind::gpu, "Tiny GPU", 1, 100));
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

}  // namespace
}  // namespace wattune::backend
