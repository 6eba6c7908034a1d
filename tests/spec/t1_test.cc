#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "source_dir.h"
#include "spec/spec_fixture.h"
#include "wattune/space/search_space.h"

namespace wattune::inline v0_1::spec {
namespace {

class T1Spec : public SpecTest {
 protected:
  KernelSpec parse(const std::string& text) const {
    Result<KernelSpec> spec = parse_t1(text, path("spec.json"));
    EXPECT_TRUE(spec) << spec.error().to_string();
    return spec ? *std::move(spec) : KernelSpec();
  }
};

constexpr const char* kKernelTuner = R"json({
  "General": {"BenchmarkName": "blur"},
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "block_size_x", "Type": "int", "Values": "[16, 32]", "Default": [32]},
      {"Name": "filter_width", "Type": "int", "Values": "[3, 5]", "Default": 5}
    ],
    "Conditions": [{"Expression": "block_size_x > filter_width", "Parameters": ["block_size_x"]}]
  },
  "KernelSpecification": {
    "Language": "OpenCL", "CompilerOptions": ["-w"], "BenchmarkName": "other",
    "KernelName": "add", "KernelFile": "add.cl", "GlobalSizeType": "CUDA",
    "LocalSize": {"X": "block_size_x", "Y": "1", "Z": "1"},
    "GlobalSize": {"X": "(262144 // block_size_x)", "Y": "1", "Z": "1"},
    "GridDivX": ["block_size_x", "2"], "ProblemSize": [4096, 512], "SharedMemory": 0, "Stream": null,
    "Arguments": [
      {"Name": "out", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "FillType": "Constant",
       "Size": "ProblemSize[0]*ProblemSize[1]", "FillValue": 0.0, "Output": 1},
      {"Name": "filter", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "MemType": "Constant",
       "FillType": "Random", "Size": "max(filter_width) * max(filter_width)", "FillValue": 324.0},
      {"Name": "scale", "Type": "float", "MemoryType": "Scalar", "AccessType": "ReadOnly", "FillValue": 0.25}
    ]
  }
})json";

TEST_F(T1Spec, ReadsKernelTunersDialect) {
  const KernelSpec spec = parse(kKernelTuner);
  EXPECT_EQ(spec.name, "blur");
  EXPECT_EQ(spec.source.text, "__kernel void add() {}");
  EXPECT_EQ(spec.source.options, std::vector<std::string>{"-w"});
  EXPECT_EQ(spec.parameters[0].default_value, Value(32));
  EXPECT_EQ(spec.parameters[1].default_value, Value(5));
  EXPECT_EQ(spec.constraints[0].expression, "block_size_x > filter_width");
  EXPECT_EQ(spec.constraints[0].position.line, 8);
  EXPECT_EQ(spec.constraints[0].position.column, 36);

  // The problem and its divisors take precedence over GlobalSize. An extent without divisors is divided by its block,
  // if any.
  EXPECT_EQ(spec.geometry.convention, GeometryConvention::divided);
  EXPECT_EQ(spec.problem_size[0].value, 4096);
  EXPECT_EQ(spec.geometry.divisors[0].size(), 2U);
  EXPECT_EQ(spec.geometry.sizes[1].text, "problem_size_y");
  EXPECT_TRUE(spec.geometry.divisors[1].empty());
  EXPECT_EQ(spec.geometry.work_group[0].text, "block_size_x");

  const auto& filter = std::get<VectorArgument>(spec.arguments[1].kind);
  EXPECT_EQ(filter.length.text, "5 * 5");
  EXPECT_EQ(std::get<FillUniform>(filter.fill).high, 324.0);
  EXPECT_EQ(std::get<ScalarArgument>(spec.arguments[2].kind).value.text, "0.25");
}

constexpr const char* kKtt = R"json({
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "WX", "Type": "uint", "Values": "[16, 32]"},
      {"Name": "SCALE", "Type": "float", "Values": "[1, 0.5]"},
      {"Name": "FAST", "Type": "bool", "Values": "[0, 1]"},
      {"Name": "MODE", "Type": "string", "Values": "['a', 'b']"},
      {"Name": "N", "Type": "int", "Values": "range(-1, 2)"}
    ]
  },
  "Search": {"Name": "Deterministic"},
  "Budget": [{"Type": "ConfigurationCount", "BudgetValue": 10}, {"Type": "TuningDuration", "BudgetValue": 2.5},
             {"Type": "ConfigurationFraction", "BudgetValue": 0.5}],
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "add", "KernelFile": "add.cl", "CompilerOptions": [""], "Profiling": false,
    "GlobalSize": {"X": "256 // WX", "Y": "4"}, "GlobalSizeType": "CUDA", "LocalSize": {"X": "WX"},
    "Arguments": [
      {"Name": "in", "Type": "float16", "Size": 256, "TypeSize": 64, "FillType": "Generator", "DataSource": "1 + i*0.1",
       "AccessType": "ReadOnly", "MemoryType": "Vector"},
      {"Name": "count", "Type": "int32", "FillType": "Constant", "FillValue": 64.0, "MemoryType": "Scalar"},
      {"Name": "bytes", "Type": "int8", "Size": "WX", "MemoryType": "Local"},
      {"Name": "width", "Type": "int32", "FillType": "Generator", "DataSource": "2 * WX", "MemoryType": "Scalar"},
      {"Name": "out", "Type": "float", "Size": 256, "FillType": "Constant", "FillValue": 0.0,
       "AccessType": "ReadWrite", "MemoryType": "Vector"}
    ],
    "ReferenceArguments": [
      {"Name": "reference", "FillType": "BinaryRaw", "DataSource": "out.bin", "TargetName": "out",
       "ValidationMethod": "SideBySideComparison", "ValidationThreshold": 0.01}
    ]
  }
})json";

TEST_F(T1Spec, ReadsKttsDialect) {
  write("out.bin", "");
  const KernelSpec spec = parse(kKtt);
  EXPECT_EQ(spec.source.language, Language::cuda);
  EXPECT_TRUE(spec.source.options.empty());
  EXPECT_EQ(spec.strategy, "exhaustive");
  EXPECT_EQ(spec.budget.evaluations, 10U);
  EXPECT_EQ(spec.budget.seconds, 2.5);
  EXPECT_EQ(spec.budget.fraction, 0.5);
  EXPECT_EQ(spec.geometry.convention, GeometryConvention::cuda);
  EXPECT_EQ(spec.geometry.sizes[0].text, "256 // WX");
  EXPECT_EQ(spec.geometry.sizes[2].text, "");

  const auto& in = std::get<VectorArgument>(spec.arguments[0].kind);
  EXPECT_EQ(in.type, ElementType::float32);
  EXPECT_EQ(in.vector_width, 16U);
  EXPECT_EQ(std::get<FillExpression>(in.fill).expression.text, "1 + i*0.1");
  EXPECT_EQ(std::get<ScalarArgument>(spec.arguments[1].kind).value.text, "64");
  EXPECT_EQ(std::get<LocalArgument>(spec.arguments[2].kind).type, ElementType::int8);
  EXPECT_EQ(std::get<ScalarArgument>(spec.arguments[3].kind).value.text, "2 * WX");
  EXPECT_EQ(std::get<VectorArgument>(spec.arguments[4].kind).access, ArgumentAccess::read_write);

  EXPECT_EQ(std::get<ReferenceData>(spec.reference).outputs[0].second, path("out.bin"));
  EXPECT_EQ(spec.tolerance.absolute, 0.01);
  EXPECT_EQ(spec.tolerance.relative, 0.0);
}

TEST_F(T1Spec, IgnoresADefaultThatIsNoneOfTheValues) {
  std::string text = kKernelTuner;
  text.replace(text.find("[32]}"), 4, "[48]");
  EXPECT_EQ(parse(text).parameters[0].default_value, std::nullopt);
}

TEST_F(T1Spec, GivesValuesTheirDeclaredType) {
  write("out.bin", "");
  const KernelSpec spec = parse(kKtt);
  EXPECT_EQ(spec.parameters[0].values[0].kind(), Value::Kind::integer);
  EXPECT_EQ(spec.parameters[1].values[0].kind(), Value::Kind::real);
  EXPECT_EQ(spec.parameters[2].values[1].kind(), Value::Kind::boolean);
  EXPECT_EQ(spec.parameters[3].values[0], Value("a"));
  EXPECT_EQ(spec.parameters[4].values[0], Value(-1));
}

// A file whose kernel is missing serves for its space, even with mistakes elsewhere.
TEST_F(T1Spec, KeepsTheSpaceOfAFileThatCannotRun) {
  std::string text = kKtt;
  text.replace(text.find("add.cl"), 6, "no.cl");
  EXPECT_FALSE(parse_t1(text, path("spec.json")));
  text.replace(text.find("\"WX\"}"), 5, "\"unknown\"}");
  text.replace(text.find("\"CUDA\""), 6, "\"Vulkan\"");
  const Result<KernelSpec> spec = parse_t1(text, path("spec.json"), SourcePolicy::optional);
  ASSERT_TRUE(spec) << spec.error().to_string();
  EXPECT_EQ(spec->parameters.size(), 5U);
  EXPECT_EQ(spec->source.text, "");
  EXPECT_TRUE(spec->arguments.empty());
}

TEST_F(T1Spec, AcceptsAByteOrderMarkAndCarriageReturns) {
  std::string text = kKernelTuner;
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, 1, '\r');
  const KernelSpec spec = parse("\xEF\xBB\xBF" + text);
  EXPECT_EQ(spec.constraints[0].position.line, 8);
  EXPECT_EQ(spec.constraints[0].position.column, 36);
}

// Returns `length` characters at a position of a file.
std::string text_at(const std::filesystem::path& file, const SourcePosition& position, std::size_t length) {
  std::ifstream stream(file);
  std::string line;
  for (int i = 0; i < position.line; ++i) std::getline(stream, line);
  return line.substr(static_cast<std::size_t>(*position.column) - 1, length);
}

TEST(T1Files, EveryCollectedFileLoadsWithPositions) {
  const std::filesystem::path data = std::filesystem::path(WATTUNE_SOURCE_DIR) / "../shared/data";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no collected data beside the sources";
  std::size_t files = 0;
  for (const char* folder : {"spaces", "hub/t1", "ktt"}) {
    for (const auto& entry : std::filesystem::directory_iterator(data / folder)) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(".json") || (std::string(folder) == "ktt" && !name.ends_with("_T1.json"))) continue;
      const Result<KernelSpec> spec = load(entry.path(), SourcePolicy::optional);
      ASSERT_TRUE(spec) << spec.error().to_string();
      EXPECT_FALSE(spec->parameters.empty());
      for (const Constraint& constraint : spec->constraints)
        EXPECT_EQ(text_at(entry.path(), constraint.position, constraint.expression.size()), constraint.expression);
      ++files;
    }
  }
  EXPECT_EQ(files, 23U);  // 17 spaces, 4 of the benchmark hub, 2 of KTT
}

// Names of other tuners are mapped; unknown ones are left to the program.
TEST_F(T1Spec, MapsTheStrategiesOfOtherTuners) {
  const auto strategy = [&](const std::string& name) {
    std::string text = kKtt;
    text.replace(text.find("Deterministic"), std::string("Deterministic").size(), name);
    return parse(text).strategy;
  };
  write("out.bin", "");
  for (const auto& [name, here] : {std::pair("MCMC", "mcmc"),
                                   {"ProfileBased", "profile"},
                                   {"bayes_opt", "bayesian_optimisation"},
                                   {"pso", "particle_swarm"},
                                   {"skopt", ""}})
    EXPECT_EQ(strategy(name), here);
}

}  // namespace
}  // namespace wattune::spec
