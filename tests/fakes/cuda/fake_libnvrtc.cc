// A stand-in for libnvrtc.so.12: finds the kernels of a source by their text and compiles nothing. `#error` in the
// source is a compile error, `#warning` a warning, and `#hang FILE` adds a line to the file and keeps the compiler for
// good. Asked for figures, it says that every kernel spills 8 bytes. Kernels take pointers, textures, surfaces, double
// (8 bytes) and float or int (4 bytes).
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>

#include "backend/cuda/cu_api.h"
#include "backend/cuda/nvrtc_api.h"
#include "fakes/cuda/fake_image.h"

using namespace wattune::backend::cuda;
using namespace wattune::fakes;

namespace wattune::inline v0_1::backend::cuda {

struct _nvrtcProgram {
  std::string source;
  std::string name;
  std::vector<std::string> expressions;
  std::map<std::string, std::string> lowered;
  std::string log;
  std::string cubin;
  std::string ptx;
};

}  // namespace wattune::backend::cuda

namespace {

std::vector<std::size_t> parameter_bytes(const std::string& parameters) {
  std::vector<std::size_t> bytes;
  std::istringstream list(parameters);
  for (std::string parameter; std::getline(list, parameter, ',');) {
    if (parameter.find_first_not_of(' ') == std::string::npos) continue;
    const bool wide = parameter.find('*') != std::string::npos || parameter.find("double") != std::string::npos ||
                      parameter.find("Object_t") != std::string::npos;
    bytes.push_back(wide ? 8 : 4);
  }
  return bytes;
}

// Returns a symbol for "scale<32>" that no demangler understands, as is the case for some real ones.
std::string instance_symbol(std::string expression) {
  for (char& c : expression)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return "instance_" + expression;
}

FakeImage find_symbols(_nvrtcProgram& program) {
  FakeImage image;
  // Makes the regex only once, because libstdc++ makes it with a cache that threads share.
  static const std::regex kernel(
      R"((template\s*<[^>]*>\s*)?(extern\s+"C"\s+)?__global__\s+void\s+(\w+)\s*\(([^)]*)\))");
  for (std::sregex_iterator match(program.source.begin(), program.source.end(), kernel), end; match != end; ++match) {
    const std::string function = (*match)[3];
    const std::vector<std::size_t> bytes = parameter_bytes((*match)[4]);
    if ((*match)[1].matched) {
      for (const std::string& expression : program.expressions) {
        if (expression.substr(0, expression.find('<')) != function) continue;
        program.lowered[expression] = instance_symbol(expression);
        image.functions.push_back({program.lowered[expression], function, bytes});
      }
    } else {
      const std::string mangled = "_Z" + std::to_string(function.size()) + function + "v";
      image.functions.push_back({(*match)[2].matched ? function : mangled, function, bytes});
    }
  }
  static const std::regex constant(R"(__constant__\s+float\s+(\w+)\[(\d+)\])");
  for (std::sregex_iterator match(program.source.begin(), program.source.end(), constant), end; match != end; ++match)
    image.constants[(*match)[1]] = 4 * std::stoul((*match)[2]);
  return image;
}

// Writes the lines that complain, with the numbers that #line gives them. Returns true if one is an error.
bool complain(_nvrtcProgram& program) {
  bool failed = false;
  int number = 0;
  std::istringstream lines(program.source);
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("#line ")) number = std::atoi(line.c_str() + 6) - 1;
    if (line.starts_with("#hang ")) {
      std::ofstream(line.substr(6), std::ios::app) << getpid() << std::endl;
      while (true) pause();
    }
    for (const std::string kind : {"error", "warning"}) {
      if (!line.starts_with("#" + kind)) continue;
      program.log +=
          program.name + "(" + std::to_string(number) + "): " + kind + ": " + line.substr(kind.size() + 2) + "\n";
      failed |= kind == "error";
    }
  }
  return failed;
}

// Returns the assembler's lines about the kernels.
std::string figures_of(const FakeImage& image) {
  std::string log;
  for (const FakeFunction& function : image.functions)
    log += "ptxas info    : Compiling entry function '" + function.symbol + "' for 'sm_90'\n" +
           "ptxas         .     24 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n" +
           "ptxas info    : Used 30 registers, used 1 barriers, 128 bytes smem\n";
  return log;
}

// Logs a compilation as one line by one write, because several processes compile.
void log_compilation() {
  const char* const file = std::getenv("WATTUNE_FAKE_NVRTC_LOG");
  if (file == nullptr) return;
  const int descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND, 0600);
  (void)!write(descriptor, "compiled\n", 9);
  close(descriptor);
}

int wanted_version() {
  const char* const given = std::getenv("WATTUNE_FAKE_NVRTC_VERSION");
  return given != nullptr ? std::atoi(given) : 12040;
}

nvrtcResult copy_out(const std::string& text, char* to) {
  std::memcpy(to, text.data(), text.size());
  return NVRTC_SUCCESS;
}

}  // namespace

extern "C" {

nvrtcResult nvrtcVersion(int* major, int* minor) {
  const int version = wanted_version();
  *major = version / 1000;
  *minor = version % 1000 / 10;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  *count = 2;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int* architectures) {
  architectures[0] = 80;
  architectures[1] = 90;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name, int, const char* const*,
                               const char* const*) {
  *program = new _nvrtcProgram{source, name, {}, {}, {}, {}, {}};
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  delete *program;
  *program = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int option_count, const char* const* options) {
  log_compilation();
  bool virtual_architecture = false;
  bool wants_figures = false;
  bool cached = wanted_version() >= 12090;
  for (int i = 0; i < option_count; ++i) {
    const std::string option = options[i];
    if (option.find("bad") != std::string::npos) {
      program->log = "nvrtc: error: unrecognized option " + option + " found";
      return NVRTC_ERROR_INVALID_OPTION;
    }
    cached &= option != "--no-cache";
    wants_figures |= option == "--ptxas-options=-v";
    virtual_architecture |= option.starts_with("--gpu-architecture=compute_");
  }
  if (complain(*program)) return NVRTC_ERROR_COMPILATION;
  if (cached) program->log.clear();
  const FakeImage image = find_symbols(*program);
  program->ptx = ".version 8.0\n" + write_image(image);
  if (virtual_architecture) return NVRTC_SUCCESS;
  program->cubin = write_image(image);
  if (wants_figures) program->log += figures_of(image);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* expression) {
  program->expressions.emplace_back(expression);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* expression, const char** name) {
  const auto found = program->lowered.find(expression);
  if (found == program->lowered.end()) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  *name = found->second.c_str();
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, std::size_t* size) {
  *size = program->log.size() + 1;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  std::strcpy(log, program->log.c_str());
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, std::size_t* size) {
  *size = program->ptx.size() + 1;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* ptx) {
  std::strcpy(ptx, program->ptx.c_str());
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* size) {
  *size = program->cubin.size();
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* cubin) { return copy_out(program->cubin, cubin); }

}  // extern "C"

// The declarations by which Wattune calls these functions.

#define WATTUNE_SAME(function, parameters) \
  static_assert(std::is_same_v<decltype(&::function), decltype(NvrtcApi::function)>);
WATTUNE_NVRTC_FUNCTIONS(WATTUNE_SAME)
