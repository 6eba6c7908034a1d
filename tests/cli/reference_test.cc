// C++ references that misbehave, and interrupts while a reference runs, as users see them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <regex>

#include "cli/run_program.h"
#include "wait.h"

namespace wattune::cli_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CppReference : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no device here";
    setenv("TMPDIR", temporary_.path().c_str(), 1);
    write_add_spec(folder_, 1);
    folder_.write("add.toml", std::regex_replace(folder_.read("add.toml"), std::regex("file = \"reference.cl\"[^]*"),
                                                 "file = \"reference.cc\"\n"));
  }
  void TearDown() override { setenv("TMPDIR", outer_.c_str(), 1); }

  void write_reference(const std::string& before, const std::string& body) {
    folder_.write("reference.cc",
                  "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n" + before +
                      "\nextern \"C\" void reference(void* const* arguments, const size_t* lengths) { " + body +
                      " }\n");
  }

  // Sends a signal to a run while its reference computes.
  Finished interrupted_by(int signal_number) {
    RunningProgram program(folder_, quick({"tune", "add.toml"}));
    EXPECT_TRUE(program.wait_until([this] { return folder_.has("running"); }));
    kill(program.pid(), signal_number);
    return program.wait();
  }
  // Waits until all temporary folders are gone. A supervisor removes its worker's folder when all processes have ended.
  void expect_nothing_left() {
    EXPECT_TRUE(test::wait_until([this] { return temporary_.files().empty(); }));
  }

  const std::filesystem::path outer_ = std::filesystem::temp_directory_path();
  TempFolder folder_;
  TempFolder temporary_;
};

constexpr char kEndless[] = "fclose(fopen(\"running\", \"w\")); sleep(1000);";
constexpr char kAdd[] =
    "for (size_t i = 0; i < lengths[2]; ++i) "
    "((float*)arguments[2])[i] = ((float*)arguments[0])[i] + ((float*)arguments[1])[i];";

TEST_F(CppReference, AnInitialiserThatExitsIsAnError) {
  write_reference("static int bad = (exit(0), 0);", kAdd);
  const Finished finished = run_wattune(folder_, quick({"tune", "add.toml", "--json"}));
  EXPECT_EQ(finished.status, 2);
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(finished.err,
            "wattune: error: reference function: the reference ended its process with status 0 in a static "
            "initialiser\n");
}

TEST_F(CppReference, ItsOutputIsNotTheResults) {
  write_reference("static int noise = puts(\"noise\"); struct D { ~D() { abort(); } } d;", kAdd);
  const Finished finished = run_wattune(folder_, quick({"tune", "add.toml", "--json"}));
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.err, "");
  EXPECT_TRUE(finished.json()["best"]["verified"].get<bool>());
  expect_nothing_left();
}

TEST_F(CppReference, SeesNoVariableThatNobodyPasses) {
  write_reference("", std::string("if (const char* seen = getenv(\"MY_TOKEN\")) { puts(seen); exit(7); } ") + kAdd);
  setenv("MY_TOKEN", "secret", 1);
  EXPECT_EQ(run_wattune(folder_, quick({"tune", "add.toml"})).status, 0);
  const Finished passed = run_wattune(folder_, {"run", "--pass-env", "PATH,MY_TOKEN", "add.toml"});
  unsetenv("MY_TOKEN");
  EXPECT_EQ(passed.status, 2);
  EXPECT_THAT(passed.err, HasSubstr("ended its process with status 7; its last words: secret"));
  const Finished missing = run_wattune(folder_, quick({"tune", "add.toml", "--pass-env", "MY_TOKEN"}));
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, HasSubstr("no such variable: MY_TOKEN"));
}

TEST_F(CppReference, ALeftOutArgumentIsNamed) {
  write_reference("", "*(volatile int*)arguments[3] = 1;");
  const Finished finished = run_wattune(folder_, quick({"tune", "add.toml"}));
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("it uses arguments[3], but the spec lists 3 arguments, counted from 0\n"));
}

TEST_F(CppReference, TheOptionGoesBeforeTheLimitOfTheSpec) {
  write_reference("", "sleep(1000);");
  folder_.write("add.toml", folder_.read("add.toml") + "seconds = 1\n");
  const Finished by_spec = run_wattune(folder_, quick({"tune", "add.toml"}));
  EXPECT_EQ(by_spec.status, 2);
  EXPECT_THAT(by_spec.err, HasSubstr("the reference took longer than its limit of 1 s (--reference-limit"));
  const Finished by_option = run_wattune(folder_, quick({"tune", "add.toml", "--reference-limit", "500ms"}));
  EXPECT_THAT(by_option.err, HasSubstr("its limit of 0.5 s"));
}

TEST_F(CppReference, ANoteSaysThatItIsStillAtWork) {
  write_reference("", "sleep(1000);");
  const Finished finished = run_wattune(folder_, {"tune", "add.toml", "--reference-limit", "4s"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("the reference has been at work for 3 s, of 4 s at most (--reference-limit)\n"));
}

TEST_F(CppReference, InterruptsEndItWithAllThatItStarted) {
  write_reference("", std::string("if (fork() == 0) setsid(); ") + kEndless);
  for (const int number : {SIGINT, SIGTERM}) {
    const Finished finished = interrupted_by(number);
    EXPECT_EQ(finished.status, 130);
    EXPECT_EQ(finished.err, "wattune: interrupted\n");
    expect_nothing_left();
    std::filesystem::remove(folder_.path() / "running");
  }
  EXPECT_THAT(folder_.files(), ElementsAre("add.cl", "add.toml", "reference.cc", "reference.cl"));
}

}  // namespace
}  // namespace wattune::cli_test
