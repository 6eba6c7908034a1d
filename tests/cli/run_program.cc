#include "cli/run_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "programs.h"
#include "wait.h"

namespace wattune::cli_test {

namespace fs = std::filesystem;

namespace {

std::string contents_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

pid_t spawn(const fs::path& folder, std::vector<std::string> arguments, const fs::path& out, const fs::path& err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  pid_t pid = -1;
  const int problem = posix_spawn(&pid, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(problem, 0) << "cannot start " << arguments[0];
  return pid;
}

int exit_status(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

// Returns a file outside the folder for output, so that tests see what the program itself left in the folder.
fs::path output_file(std::string_view stream) {
  static int count = 0;
  return fs::path(testing::TempDir()) / fmt::format("wattune-{}-{}.{}", getpid(), count++, stream);
}

Finished run(const TempFolder& folder, std::vector<std::string> arguments) {
  const fs::path out = output_file("out");
  const fs::path err = output_file("err");
  const pid_t pid = spawn(folder.path(), std::move(arguments), out, err);
  int status = 0;
  waitpid(pid, &status, 0);
  Finished finished{exit_status(status), contents_of(out), contents_of(err)};
  fs::remove(out);
  fs::remove(err);
  return finished;
}

}  // namespace

TempFolder::TempFolder() {
  std::string name = testing::TempDir() + "/wattune-test-XXXXXX";
  path_ = mkdtemp(name.data());
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void TempFolder::write(const std::string& name, std::string_view text) const {
  fs::create_directories((path_ / name).parent_path());
  std::ofstream(path_ / name, std::ios::binary) << text;
}

std::string TempFolder::read(const std::string& name) const { return contents_of(path_ / name); }

std::vector<std::string> TempFolder::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path_)) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

fs::path program_path() { return test::program("wattune"); }

Finished run_wattune(const TempFolder& folder, const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {program_path().string()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run(folder, std::move(all));
}

bool has_opencl(const TempFolder& folder) {
  const Finished listed = run_wattune(folder, {"devices", "--json"});
  if (listed.status != 0) return false;
  const nlohmann::json devices = listed.json()["devices"];
  return std::ranges::any_of(devices, [](const nlohmann::json& device) { return device["backend"] == "opencl"; });
}

Finished run_shell(const TempFolder& folder, const std::string& command) {
  return run(folder, {"/bin/bash", "-c", command});
}

RunningProgram::RunningProgram(const TempFolder& folder, const std::vector<std::string>& arguments)
    : out_(output_file("out")), err_(output_file("err")) {
  std::vector<std::string> all = {program_path().string()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  pid_ = spawn(folder.path(), std::move(all), out_, err_);
}

RunningProgram::~RunningProgram() {
  if (!ended_) kill(pid_, SIGKILL);
  wait();
  fs::remove(out_);
  fs::remove(err_);
}

std::vector<pid_t> RunningProgram::children() const {
  std::vector<pid_t> pids;
  std::error_code ignored;
  for (const auto& task : fs::directory_iterator(fmt::format("/proc/{}/task", pid_), ignored)) {
    std::ifstream list(task.path() / "children");
    pids.insert(pids.end(), std::istream_iterator<pid_t>(list), {});
  }
  return pids;
}

bool RunningProgram::running() {
  if (!ended_) ended_ = waitpid(pid_, &wait_status_, WNOHANG) == pid_;
  return !ended_;
}

bool RunningProgram::wait_until(const std::function<bool()>& holds) {
  bool held = false;
  EXPECT_TRUE(test::wait_until([&] {
    const bool was_running = running();
    held = holds();
    return held || !was_running;
  }));
  return held;
}

Finished RunningProgram::wait() {
  if (!ended_) waitpid(pid_, &wait_status_, 0);
  ended_ = true;
  return {exit_status(wait_status_), contents_of(out_), contents_of(err_)};
}

bool gone(pid_t process) {
  std::ifstream stat(fmt::format("/proc/{}/stat", process));
  std::string line;
  return !std::getline(stat, line) || line.find(") Z ") != std::string::npos;
}

void expect_gone(const std::vector<pid_t>& processes) {
  EXPECT_TRUE(test::wait_until([&] { return std::ranges::all_of(processes, gone); }));
}

bool has_device() {
  static const bool found = [] {
    const TempFolder folder;
    const Finished listed = run_wattune(folder, {"devices", "--json"});
    if (listed.status != 0) return false;
    const nlohmann::json json = listed.json();
    const auto runs_kernels = [](const nlohmann::json& device) { return device["backend"] != "host"; };
    return std::ranges::any_of(json["devices"], runs_kernels);
  }();
  return found;
}

void write_add_spec(const TempFolder& folder, int configurations, std::string_view body) {
  folder.write("add.cl", fmt::format("__kernel void add(__global const float* a, __global const float* b,\n"
                                     "                  __global float* c) {{\n"
                                     "  const int i = get_global_id(0);\n  {}\n}}\n",
                                     body));
  folder.write("reference.cl",
               "__kernel void add(__global const float* a, __global const float* b, __global float* c) {\n"
               "  c[get_global_id(0)] = a[get_global_id(0)] + b[get_global_id(0)];\n}\n");
  folder.write("add.toml", fmt::format("[kernel]\n"
                                       "file = \"add.cl\"\n"
                                       "function = \"add\"\n"
                                       "arguments = [\n"
                                       "  {{ name = \"a\", type = \"float*\", length = \"n\", fill = \"uniform\" }},\n"
                                       "  {{ name = \"b\", type = \"float*\", length = \"n\", fill = \"iota\" }},\n"
                                       "  {{ name = \"c\", type = \"float*\", length = \"n\", access = \"write\" }},\n"
                                       "]\n"
                                       "[problem]\n"
                                       "n = 4096\n"
                                       "[launch]\n"
                                       "global = [\"n\"]\n"
                                       "local = [\"64\"]\n"
                                       "[parameters]\n"
                                       "k = \"range({})\"\n"
                                       "[reference]\n"
                                       "file = \"reference.cl\"\n"
                                       "function = \"add\"\n",
                                       configurations));
}

std::vector<std::string> quick(std::vector<std::string> arguments) {
  for (const char* option : {"--warm-up", "0ms", "--min-samples", "1", "--max-samples", "1", "--quiet"}) {
    arguments.emplace_back(option);
  }
  return arguments;
}

}  // namespace wattune::cli_test
