#include "store/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "store/load_results.h"
#include "store/sample_results.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::store {
namespace {

using testing::HasSubstr;

constexpr const char* kMapping =
    R"(# {"kernel":"conv","device":"Old GPU","tune_params":{"block":[16,32],"type":["float","double"]}})";

ResultSet read(const std::string& text) { return read_csv(text, "table.csv").value(); }
std::string error_of(const std::string& text) { return read_csv(text, "table.csv").error().to_string(); }

TEST(Csv, ReadsTimesWithTheirUnits) {
  const ResultSet results =
      read(std::string(kMapping) +
           "\n# more words\nblock,type,time_us,delta_ns,compile_ms,verification_ms,framework_s,x\n"
           "16,float,2,-500;500;1000,3,4,5,9\n32,double,,,3,0,0,9\n");
  ASSERT_EQ(results.trials.size(), 2u);
  EXPECT_EQ(results.info.kernel_name, "conv");
  EXPECT_EQ(results.info.device.name, "Old GPU");
  EXPECT_EQ(results.info.parameters.size(), 2u);
  const Observation& good = results.trials[0].observation;
  EXPECT_EQ(results.trials[0].configuration.to_string(), "block=16, type=float");
  EXPECT_EQ(good.objective(), 2000.0);
  EXPECT_EQ(good.samples, (std::vector<Sample>{{Nanoseconds(1500)}, {Nanoseconds(2500)}, {Nanoseconds(3000)}}));
  EXPECT_EQ(good.phases.compile, nanoseconds_from_ms(3));
  EXPECT_EQ(good.phases.check, nanoseconds_from_ms(4));
  EXPECT_EQ(good.phases.overhead, nanoseconds_from_seconds(5));
  EXPECT_EQ(results.trials[1].observation.status, Status::runtime);
}

TEST(Csv, TakesColumnsAsTheMappingNamesThem) {
  const ResultSet results = read(R"(# {"tune_params":{"n":[1,2,3]},"columns":{"time":"took_s","status":"how"}})"
                                 "\r\nn,time_ms,took_s,how\r\n1,77,2,correct\r\n2,77,,compile\r\n3,77,3,odd\r\n");
  EXPECT_EQ(results.trials[0].observation.objective(), 2e9);
  EXPECT_EQ(results.trials[1].observation.status, Status::compile);
  EXPECT_EQ(results.trials[2].observation.status, Status::runtime);
}

TEST(Csv, AnUncertaintyHasAColumnBesideItsMetric) {
  ResultSet results = sample_results(1);
  results.trials[0].observation.metrics = {{"energy", 2.5, "J", 0.125}, {"registers", 40, ""}};
  const std::string text = write_csv(results).value();
  EXPECT_THAT(text, HasSubstr(",energy,energy_uncertainty,registers\n"));
  EXPECT_THAT(text, HasSubstr(",2.5,0.125,40\n"));
}

TEST(Csv, MetricsComeBackWithTheirUnitsAndUncertainties) {
  ResultSet written = sample_results(3);
  written.trials[0].observation.metrics = {{"energy", 2.5, "J", 0.125}, {"registers", 40, ""}};
  written.trials[2].observation.metrics = {{"energy", 0.1, "J"}};
  const ResultSet back = read(write_csv(written).value());
  EXPECT_EQ(back.trials[0].observation.metrics, written.trials[0].observation.metrics);
  EXPECT_EQ(back.trials[2].observation.metrics, written.trials[2].observation.metrics);
}

TEST(Csv, AMetricOfTheMappingNeedsItsColumn) {
  EXPECT_THAT(error_of("# {\"tune_params\":{\"n\":[1]},\"metrics\":{\"energy\":\"J\"}}\nn,time_ns\n1,5\n"),
              HasSubstr("there is no column `energy`"));
}

TEST(Csv, ConstantsNeedNoColumn) {
  const ResultSet results = read("# {\"tune_params\":{\"n\":[1,2],\"c\":[7]}}\nn,time_ns\n2,5\n");
  EXPECT_EQ(results.trials[0].configuration.to_string(), "n=2, c=7");
}

TEST(Csv, TimeMayBeTheMedianOfTheSamples) {
  const ResultSet results = read("# {\"tune_params\":{\"n\":[1]}}\nn,times_ns\n1,5;1;4\n");
  EXPECT_EQ(results.trials[0].observation.objective(), 4.0);
}

TEST(Csv, SaysWhatIsWrongAndWhere) {
  const std::string head = std::string(kMapping) + "\nblock,type,time_ms\n";
  EXPECT_THAT(error_of(head + "16,float,1\n17,float,1\n"),
              HasSubstr("table.csv: line 4: `17` is not among the values of `block`"));
  EXPECT_THAT(error_of(head + "16,float\n"), HasSubstr("line 3: 2 fields under 3 columns"));
  EXPECT_THAT(error_of(head + "16,float,-1\n"), HasSubstr("line 3: the time is negative"));
  EXPECT_THAT(error_of(std::string(kMapping) + "\nblock,kind,time_ms\n"), HasSubstr("there is no column `type`"));
  EXPECT_THAT(error_of(std::string(kMapping) + "\nblock,type,speed\n"), HasSubstr("no column holds a time"));
  EXPECT_THAT(error_of("block,type\n"), HasSubstr("docs/formats/csv.md"));
  EXPECT_THAT(error_of("# {\"kernel\":1}\nblock\n"), HasSubstr("`tune_params` is missing"));
}

TEST(Csv, HoldsWhatItReadsBack) {
  ResultSet written;
  written.info = sample_info();
  for (int i = 0; i < 8; ++i) written.trials.push_back(sample_trial(i));
  const ResultSet back = read(write_csv(written).value());
  EXPECT_EQ(back.info.kernel_name, written.info.kernel_name);
  EXPECT_EQ(back.info.device.name, written.info.device.name);
  ASSERT_EQ(back.trials.size(), written.trials.size());
  for (std::size_t i = 0; i < back.trials.size(); ++i) {
    const Observation& observation = back.trials[i].observation;
    const Observation& original = written.trials[i].observation;
    EXPECT_EQ(back.trials[i].configuration.values(), written.trials[i].configuration.values());
    EXPECT_EQ(observation.status, original.status);
    EXPECT_EQ(observation.samples, original.samples);
    EXPECT_EQ(observation.phases, original.phases);
    ASSERT_EQ(observation.ok(), original.ok());
    if (original.ok()) {
      EXPECT_EQ(observation.statistics->median, original.statistics->median);
    }
  }
}

TEST(Csv, MetricsAreColumnsWithBlanksWhereTheyAreUnknown) {
  ResultSet written;
  written.info = sample_info();
  written.trials = {sample_trial(0), sample_trial(1)};
  EXPECT_THAT(write_csv(written).value(),
              HasSubstr("block,scale,padding,type,status,time_ns,samples_ns,compile_ns,check_ns,measure_ns,overhead_ns,"
                        "finished_at,objective,final,final_time_ns,final_objective,GFLOP/s,registers\n"
                        "16,0.5,False,float,correct,1001,1000;1001;1002,100000000,2000000,3000000,0,"
                        "2026-01-31T00:00:01.123456789Z,,,,,12.5,40\n"
                        "32,2.0,True,float4,compile,,,100000001,2000000,3000000,4000000,"
                        "2026-01-31T00:00:02.123456789Z,,,,,,\n"));
}

TEST(Csv, TheGainOverTheDefaultIsThreeColumns) {
  ResultSet written;
  written.info = sample_info();
  written.trials = {sample_trial(0), sample_trial(1)};
  written.trials[0].observation.over_default = PairedGain{1.25, 1.125, 1.5};
  const std::string text = write_csv(written).value();
  EXPECT_THAT(text, HasSubstr("GFLOP/s,registers,over_default,over_default_low,over_default_high\n"));
  EXPECT_THAT(text, HasSubstr(",12.5,40,1.25,1.125,1.5\n"));
  EXPECT_THAT(text, HasSubstr("456789Z,,,,,,,,,\n"));
}

// A reader would use the first of the two columns.
TEST(Csv, RefusesTwoColumnsOfOneName) {
  for (const char* name : {"time_ns", "status", "final", "objective"}) {
    ResultSet written;
    written.info.parameters = {{.name = name, .values = {1, 2}}};
    EXPECT_THAT(write_csv(written).error().to_string(),
                HasSubstr("two columns of a table would have the same name: `" + std::string(name) + "`"));
  }
}

// A field with a comma or a quote at its beginning stands in quotes, in which quotes are doubled.
TEST(Csv, KeepsCommasAndQuotesOfTexts) {
  const std::vector<Value> texts{"rows, columns", "\"a\", b", "\"", "plain \"b\"", "[1, 'x']"};
  ResultSet written;
  written.info.parameters = {{.name = "layout", .values = texts}};
  const auto names = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"layout"});
  for (std::size_t i = 0; i < texts.size(); ++i) {
    written.trials.push_back(sample_trial(0));
    written.trials[i].configuration = Configuration(i, names, {texts[i]});
  }
  const auto read = parse_results(write_csv(written).value(), "t.csv");
  ASSERT_TRUE(read) << read.error().to_string();
  for (std::size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(read->trials.at(i).configuration.values(), std::vector<Value>{texts[i]});
}

TEST(Csv, RefusesTextsThatAreNoField) {
  ResultSet written;
  written.info.parameters = {{.name = "layout", .values = {"rows\ncolumns"}}};
  written.trials = {sample_trial(0)};
  written.trials[0].configuration = Configuration(
      0, std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"layout"}), {"rows\ncolumns"});
  EXPECT_THAT(write_csv(written).error().to_string(), HasSubstr("a table cannot hold a text with a line break"));
}

TEST(Csv, FindsTheMappingBesideTheFile) {
  const auto folder = std::filesystem::temp_directory_path() / "wattune_csv_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "t.csv") << "n,time_ms\n1,2\n";
  std::ofstream(folder / "t.params.json") << R"({"kernel":"k","tune_params":{"n":[1]}})";
  const auto results = load_results(folder / "t.csv");
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(results) << results.error().to_string();
  EXPECT_EQ(results->info.kernel_name, "k");
  EXPECT_EQ(results->trials.size(), 1u);
}

}  // namespace
}  // namespace wattune::store
