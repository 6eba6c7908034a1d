// Running the built program in separate folders, as a user would.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace wattune::cli_test {

// A new empty folder that is removed with its contents at the end.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, std::string_view text) const;
  std::string read(const std::string& name) const;
  bool has(const std::string& name) const { return std::filesystem::exists(path_ / name); }
  std::vector<std::string> files() const;

 private:
  std::filesystem::path path_;
};

struct Finished {
  int status = -1;  // exit status, or 128 + signal
  std::string out;
  std::string err;

  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

std::filesystem::path program_path();  // of `wattune`

// Runs `wattune` with arguments in the folder, to its end.
Finished run_wattune(const TempFolder& folder, const std::vector<std::string>& arguments);
// True if the program finds an OpenCL device here.
bool has_opencl(const TempFolder& folder);
// Runs any command line through the shell in the folder.
Finished run_shell(const TempFolder& folder, const std::string& command);

// A running `wattune`, beside which the test goes on.
class RunningProgram {
 public:
  RunningProgram(const TempFolder& folder, const std::vector<std::string>& arguments);
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  pid_t pid() const { return pid_; }
  // Returns its child processes, the workers.
  std::vector<pid_t> children() const;
  bool running();
  // Waits until a condition holds. Returns false if the program ends before.
  [[nodiscard]] bool wait_until(const std::function<bool()>& holds);
  Finished wait();

 private:
  std::filesystem::path out_;
  std::filesystem::path err_;
  pid_t pid_ = -1;
  int wait_status_ = 0;
  bool ended_ = false;
};

// True if the process has ended, reaped or not.
bool gone(pid_t process);

// Waits until all of the processes have ended.
void expect_gone(const std::vector<pid_t>& processes);

// True if kernels can run here; tests that need that are skipped otherwise.
bool has_device();

// Writes a spec "add.toml" with `configurations` configurations (parameter k, from 0), with a kernel whose body
// computes c[i], and a reference kernel.
void write_add_spec(const TempFolder& folder, int configurations, std::string_view body = "c[i] = a[i] + b[i];");

// Adds options that make measuring as quick as it can be.
std::vector<std::string> quick(std::vector<std::string> arguments);

}  // namespace wattune::cli_test
