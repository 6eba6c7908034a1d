// The stand-in for NVML (fakes/nvml), with physics and faults. Each test has a process of its own, because a library is
// set up only once per process.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "backend/interface/nvml_api.h"
#include "fakes/cuda/fake_board.h"
#include "programs.h"

namespace wattune::inline v0_1::backend::nvml {
namespace {

using fakes::FakeBoard;
using ::testing::ElementsAre;

constexpr double kSecond = 1e9;

class StandIn : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    set("FAKE_BOARD", board_file());
    set("LIBNVML", test::program("wattune-fake-libnvml.so").string());
  }
  void TearDown() override {
    for (const std::string& name : set_) unsetenv(name.c_str());
    std::filesystem::remove_all(folder_);
  }

  std::string board_file() const { return (folder_ / "board").string(); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::vector<std::string> lines_of(const std::string& name) const {
    std::ifstream stream(file(name));
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  void set(const std::string& name, const std::string& value) {
    set_.push_back("WATTUNE_" + name);
    setenv(set_.back().c_str(), value.c_str(), 1);
  }
  void with_profile(const std::string& board) {
    set("FAKE_NVML_PROFILE", board);
    set("FAKE_NVML_TIME", "virtual");
  }

  // Runs the rest of a test in a child process, which loads the library anew.
  static void in_a_process(const std::function<void(const NvmlApi&, nvmlDevice_t)>& test) {
    const auto child = [&] {
      const NvmlApi& nvml = *nvml_api().value();
      test(nvml, nvml_board(nvml, "0000:3B:00.0").value());
      std::_Exit(HasFailure() ? 1 : 0);
    };
    EXPECT_EXIT(child(), ::testing::ExitedWithCode(0), "");
  }

  // Returns a function of the library that nvml_api() loaded.
  template <typename Function>
  static Function* exported(const char* name) {
    void* const library = dlopen(std::getenv("WATTUNE_LIBNVML"), RTLD_NOW | RTLD_NOLOAD);
    return reinterpret_cast<Function*>(dlsym(library, name));
  }
  static void pass(double nanoseconds) { exported<void(double)>("wattune_fake_nvml_pass")(nanoseconds); }
  static void load(double core) { exported<void(unsigned, double, double)>("wattune_fake_nvml_load")(0, core, 0.0); }

  static unsigned milliwatts(const NvmlApi& nvml, nvmlDevice_t device) {
    unsigned power = 0;
    EXPECT_EQ(nvml.nvmlDeviceGetPowerUsage(device, &power), NVML_SUCCESS);
    return power;
  }
  static unsigned long long millijoules(const NvmlApi& nvml, nvmlDevice_t device) {
    unsigned long long energy = 0;
    EXPECT_EQ(nvml.nvmlDeviceGetTotalEnergyConsumption(device, &energy), NVML_SUCCESS);
    return energy;
  }
  static nvmlFieldValue_t field(const NvmlApi& nvml, nvmlDevice_t device, unsigned id, unsigned scope = 0) {
    nvmlFieldValue_t field{};
    field.fieldId = id;
    field.scopeId = scope;
    EXPECT_EQ(nvml.nvmlDeviceGetFieldValues(device, 1, &field), NVML_SUCCESS);
    return field;
  }
  static std::vector<unsigned> processes(const NvmlApi& nvml, nvmlDevice_t device) {
    nvmlProcessInfo_t infos[8] = {};
    unsigned count = 8;
    EXPECT_EQ(nvml.nvmlDeviceGetComputeRunningProcesses_v3(device, &count, infos), NVML_SUCCESS);
    std::vector<unsigned> processes;
    for (unsigned i = 0; i < count; ++i) processes.push_back(infos[i].pid);
    return processes;
  }

 private:
  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("wattune_stand_in_" + std::to_string(getpid()));
  std::vector<std::string> set_;
};

TEST_F(StandIn, HasEveryFunction) {
  in_a_process([](const NvmlApi& nvml, nvmlDevice_t) {
#define WATTUNE_EXPECT(function, parameters) EXPECT_NE(nvml.function, nullptr) << #function;
    WATTUNE_NVML_FUNCTIONS(WATTUNE_EXPECT)
#undef WATTUNE_EXPECT
    EXPECT_FALSE(nvml.drives_real_boards);
  });
}

TEST_F(StandIn, ThatOfAnOldDriverLacksSome) {
  set("LIBNVML", test::program("wattune-fake-libnvml-old.so").string());
  in_a_process([](const NvmlApi& nvml, nvmlDevice_t) {
    EXPECT_EQ(nvml.nvmlDeviceGetTotalEnergyConsumption, nullptr);
    EXPECT_EQ(nvml.nvmlDeviceGetFieldValues, nullptr);
    EXPECT_EQ(nvml.nvmlDeviceSetMemoryLockedClocks, nullptr);
    EXPECT_NE(nvml.nvmlDeviceSetGpuLockedClocks, nullptr);
  });
}

// 45 W + 0.0614 W/MHz * 975 MHz = 104.9 W at 50 °C, and 2 W less at about 35 °C; the counter agrees.
TEST_F(StandIn, AProfileShowsThePowerAndTheEnergyOfItsBoard) {
  with_profile("A100");
  in_a_process([](const NvmlApi& nvml, nvmlDevice_t device) {
    ASSERT_EQ(nvml.nvmlDeviceSetGpuLockedClocks(device, 975, 975), NVML_SUCCESS);
    load(1.0);
    pass(2 * kSecond);
    const unsigned long long before = millijoules(nvml, device);
    pass(10 * kSecond);
    EXPECT_NEAR(milliwatts(nvml, device), 103'500, 1'500);
    EXPECT_NEAR(static_cast<double>(millijoules(nvml, device) - before), 1'035'000, 15'000);
    unsigned clock = 0;
    EXPECT_EQ(nvml.nvmlDeviceGetClockInfo(device, NVML_CLOCK_SM, &clock), NVML_SUCCESS);
    EXPECT_EQ(clock, 975u);
  });
}

TEST_F(StandIn, AProfileHasTheClocksAndLimitsOfItsBoard) {
  with_profile("V100");
  in_a_process([](const NvmlApi& nvml, nvmlDevice_t device) {
    unsigned count = 0;
    EXPECT_EQ(nvml.nvmlDeviceGetSupportedGraphicsClocks(device, 877, &count, nullptr), NVML_ERROR_INSUFFICIENT_SIZE);
    std::vector<unsigned> clocks(count);
    ASSERT_EQ(nvml.nvmlDeviceGetSupportedGraphicsClocks(device, 877, &count, clocks.data()), NVML_SUCCESS);
    EXPECT_EQ(clocks.size(), 167u);
    EXPECT_EQ(clocks[0], 1380u);
    EXPECT_EQ(clocks[1], 1372u);  // of 1372.5
    EXPECT_EQ(nvml.nvmlDeviceSetMemoryLockedClocks(device, 877, 877), NVML_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(field(nvml, device, NVML_FI_DEV_POWER_AVERAGE).nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(field(nvml, device, NVML_FI_DEV_POWER_INSTANT).nvmlReturn, NVML_SUCCESS);
  });
}

TEST_F(StandIn, ALimitHoldsTheClockAndSaysWhy) {
  with_profile("A100");
  in_a_process([](const NvmlApi& nvml, nvmlDevice_t device) {
    ASSERT_EQ(nvml.nvmlDeviceSetPowerManagementLimit(device, 150'000), NVML_SUCCESS);
    load(1.0);
    pass(kSecond);
    unsigned long long reasons = 0;
    EXPECT_EQ(nvml.nvmlDeviceGetCurrentClocksEventReasons(device, &reasons), NVML_SUCCESS);
    EXPECT_EQ(reasons, nvmlClocksEventReasonSwPowerCap);
    EXPECT_LE(milliwatts(nvml, device), 151'000u);
    EXPECT_EQ(nvml.nvmlDeviceSetPowerManagementLimit(device, 100'000), NVML_ERROR_INVALID_ARGUMENT);
  });
}

// This process sees the settings and the load of another one.
TEST_F(StandIn, ProcessesShareABoard) {
  with_profile("A100");
  in_a_process([](const NvmlApi&, nvmlDevice_t) {
    load(1.0);
    pass(5 * kSecond);
  });
  in_a_process([](const NvmlApi& nvml, nvmlDevice_t device) {
    pass(kSecond);
    EXPECT_GT(milliwatts(nvml, device), 200'000u);
  });
}

TEST_F(StandIn, TheKernelsOfTheOtherStandInAreItsLoad) {
  with_profile("A100");
  in_a_process([&](const NvmlApi& nvml, nvmlDevice_t device) {
    const unsigned long long before = millijoules(nvml, device);
    auto* const boards = static_cast<fakes::FakeBoards*>(
        fakes::shared_memory(std::getenv("WATTUNE_FAKE_BOARD"), sizeof(fakes::FakeBoards)));
    boards->boards[0].launched_ms += 4'000;  // as a launch does
    EXPECT_GT(millijoules(nvml, device) - before, 4u * 200'000u);
    EXPECT_GT(milliwatts(nvml, device), 200'000u);
  });
}

TEST_F(StandIn, FaultsStrikeTheCallThatTheyName) {
  set("FAKE_NVML_FAULT", "nvmlDeviceGetPowerUsage:3:15,nvmlDeviceGetTemperature:2+:4");
  in_a_process([](const NvmlApi& nvml, nvmlDevice_t device) {
    std::vector<nvmlReturn_t> codes;
    unsigned number = 0;
    for (int i = 0; i < 4; ++i) codes.push_back(nvml.nvmlDeviceGetPowerUsage(device, &number));
    EXPECT_THAT(codes, ElementsAre(0, 0, 15, 0));
    codes.clear();
    for (int i = 0; i < 4; ++i) codes.push_back(nvml.nvmlDeviceGetTemperature(device, 0, &number));
    EXPECT_THAT(codes, ElementsAre(0, 4, 4, 4));
  });
}

TEST_F(StandIn, ADeviceIsLostInTheMidstOfARun) {
  set("FAKE_NVML_FAULT", "*:4+:15");  // the first two calls started it and found the board
  in_a_process([](const NvmlApi& nvml, nvmlDevice_t device) {
    unsigned number = 0;
    EXPECT_EQ(nvml.nvmlDeviceGetPowerUsage(device, &number), NVML_SUCCESS);
    EXPECT_EQ(nvml.nvmlDeviceGetPowerUsage(device, &number), NVML_ERROR_GPU_IS_LOST);
    EXPECT_EQ(nvml.nvmlDeviceGetClockInfo(device, NVML_CLOCK_SM, &number), NVML_ERROR_GPU_IS_LOST);
  });
}

TEST_F(StandIn, LogsTheNamesOfItsCalls) {
  set("FAKE_NVML_LOG", file("log"));
  in_a_process([](const NvmlApi& nvml, nvmlDevice_t device) { (void)milliwatts(nvml, device); });
  EXPECT_THAT(lines_of("log"),
              ElementsAre("nvmlInit_v2", "nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetPowerUsage"));
}

// The forwarding library is in front of the stand-in, which writes a log of its own.
TEST_F(StandIn, AForwardingLibraryPassesEveryFunctionOnAndWritesItDown) {
  set("FORWARD_NVML", test::program("wattune-fake-libnvml.so").string());
  set("LIBNVML", test::program("wattune-forwarding-libnvml.so").string());
  set("NVML_LOG", file("forwarded"));
  set("FAKE_NVML_LOG", file("log"));
  in_a_process([](const NvmlApi& nvml, nvmlDevice_t device) {
#define WATTUNE_EXPECT(function, parameters) EXPECT_NE(nvml.function, nullptr) << #function;
    WATTUNE_NVML_FUNCTIONS(WATTUNE_EXPECT)
#undef WATTUNE_EXPECT
    EXPECT_EQ(milliwatts(nvml, device), 350'000u);
    EXPECT_FALSE(nvml.drives_real_boards);
  });
  EXPECT_EQ(lines_of("forwarded"), lines_of("log"));
  EXPECT_EQ(lines_of("forwarded").back(), "nvmlDeviceGetPowerUsage");
}

TEST_F(StandIn, AForwardingLibraryInFrontOfARealOneIsNoStandIn) {
  set("FORWARD_NVML", test::program("wattune-fake-libnvml.so").string());
  set("LIBNVML", test::program("wattune-forwarding-libnvml.so").string());
  set("FAKE_NVML_REAL", "1");
  in_a_process([](const NvmlApi& nvml, nvmlDevice_t) { EXPECT_TRUE(nvml.drives_real_boards); });
}

TEST_F(StandIn, ACounterThatBeginsAnewIsLessThanBefore) {
  with_profile("A100");
  set("FAKE_NVML_ANEW", "2");
  in_a_process([](const NvmlApi& nvml, nvmlDevice_t device) {
    pass(kSecond);
    EXPECT_GT(millijoules(nvml, device), 1'000'000u);
    EXPECT_EQ(millijoules(nvml, device), 0u);
    pass(kSecond);
    EXPECT_GT(millijoules(nvml, device), 10'000u);
  });
}

TEST_F(StandIn, AStuckCounterStandsStill) {
  with_profile("A100");
  set("FAKE_NVML_STUCK", "1");
  in_a_process([](const NvmlApi& nvml, nvmlDevice_t device) {
    const unsigned long long before = millijoules(nvml, device);
    pass(10 * kSecond);
    EXPECT_EQ(millijoules(nvml, device), before);
  });
}

TEST_F(StandIn, OthersHoldTheClockAndTheLimit) {
  set("FAKE_BOARD_CLOCK", "1005");
  set("FAKE_BOARD_LIMIT", "300000");
  in_a_process([](const NvmlApi& nvml, nvmlDevice_t device) {
    unsigned number = 0;
    EXPECT_EQ(nvml.nvmlDeviceGetPowerManagementLimit(device, &number), NVML_SUCCESS);
    EXPECT_EQ(number, 300'000u);
    EXPECT_EQ(nvml.nvmlDeviceGetPowerManagementDefaultLimit(device, &number), NVML_SUCCESS);
    EXPECT_EQ(number, 700'000u);
    ASSERT_EQ(nvml.nvmlDeviceSetGpuLockedClocks(device, 1410, 1410), NVML_SUCCESS);
    EXPECT_EQ(nvml.nvmlDeviceGetClockInfo(device, NVML_CLOCK_SM, &number), NVML_SUCCESS);
    EXPECT_EQ(number, 1005u);
  });
}

TEST_F(StandIn, ApplicationClocksAreSetWhereTheirRestrictionIsLifted) {
  set("FAKE_NVML_SET", "4");
  set("FAKE_NVML_RESTRICTED", "0");
  in_a_process([](const NvmlApi& nvml, nvmlDevice_t device) {
    EXPECT_EQ(nvml.nvmlDeviceSetGpuLockedClocks(device, 1410, 1410), NVML_ERROR_NO_PERMISSION);
    ASSERT_EQ(nvml.nvmlDeviceSetApplicationsClocks(device, 2619, 1410), NVML_SUCCESS);
    unsigned number = 0;
    EXPECT_EQ(nvml.nvmlDeviceGetApplicationsClock(device, NVML_CLOCK_SM, &number), NVML_SUCCESS);
    EXPECT_EQ(number, 1410u);
    EXPECT_EQ(nvml.nvmlDeviceGetClockInfo(device, NVML_CLOCK_SM, &number), NVML_SUCCESS);
    EXPECT_EQ(number, 1410u);
    EXPECT_EQ(nvml.nvmlDeviceResetApplicationsClocks(device), NVML_SUCCESS);
    EXPECT_EQ(nvml.nvmlDeviceGetApplicationsClock(device, NVML_CLOCK_SM, &number), NVML_SUCCESS);
    EXPECT_EQ(number, FakeBoard::kFullClock);
    EXPECT_EQ(nvml.nvmlDeviceSetApplicationsClocks(device, 2619, 1411), NVML_ERROR_INVALID_ARGUMENT);
  });
}

TEST_F(StandIn, FieldsHaveScopesAndCodesOfTheirOwn) {
  set("FAKE_NVML_SCOPES", "module");
  set("FAKE_NVML_FIELD_185", "999");
  in_a_process([](const NvmlApi& nvml, nvmlDevice_t device) {
    EXPECT_EQ(field(nvml, device, NVML_FI_DEV_POWER_INSTANT).nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(field(nvml, device, NVML_FI_DEV_POWER_INSTANT, NVML_POWER_SCOPE_MODULE).value.uiVal, 350'000u);
    EXPECT_EQ(field(nvml, device, NVML_FI_DEV_POWER_AVERAGE, NVML_POWER_SCOPE_MODULE).nvmlReturn, NVML_ERROR_UNKNOWN);
  });
}

TEST_F(StandIn, ListsOthersUnlessTheyAreHidden) {
  set("FAKE_NVML_PROCESSES", "4711,4712");
  in_a_process([](const NvmlApi& nvml, nvmlDevice_t device) {
    EXPECT_THAT(processes(nvml, device), ElementsAre(4711, 4712));
    setenv("WATTUNE_FAKE_NVML_PROCESSES", "hidden", 1);
    EXPECT_THAT(processes(nvml, device), ElementsAre());
  });
}

TEST_F(StandIn, ItsDevicesMayHaveAnotherOrderThanCudas) {
  set("FAKE_CUDA_DEVICES", "A,A");
  set("FAKE_NVML_ORDER", "reverse");
  in_a_process([](const NvmlApi& nvml, nvmlDevice_t) {
    nvmlDevice_t first = nullptr;
    ASSERT_EQ(nvml.nvmlDeviceGetHandleByIndex_v2(0, &first), NVML_SUCCESS);
    nvmlPciInfo_t pci{};
    ASSERT_EQ(nvml.nvmlDeviceGetPciInfo_v3(first, &pci), NVML_SUCCESS);
    EXPECT_STREQ(pci.busId, "00000000:3C:00.0");
    char uuid[96];
    ASSERT_EQ(nvml.nvmlDeviceGetUUID(first, uuid, sizeof uuid), NVML_SUCCESS);
    nvmlDevice_t same = nullptr;
    ASSERT_EQ(nvml.nvmlDeviceGetHandleByUUID(uuid, &same), NVML_SUCCESS);
    EXPECT_EQ(same, first);
  });
}

TEST_F(StandIn, MigIsSaidWhereThereIsAny) {
  set("FAKE_NVML_MIG", "1");
  in_a_process([](const NvmlApi& nvml, nvmlDevice_t device) {
    unsigned current = 0;
    unsigned pending = 0;
    EXPECT_EQ(nvml.nvmlDeviceGetMigMode(device, &current, &pending), NVML_SUCCESS);
    EXPECT_EQ(current, 1u);
  });
}

}  // namespace
}  // namespace wattune::backend::nvml
