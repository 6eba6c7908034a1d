#include "model/interface/perceptron.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "model/bayesian_training.h"

namespace wattune::inline v0_1::model {

namespace {

constexpr std::string_view kHeading = "wattune perceptron 1";

Error untrainable(std::string message, std::string what) {
  return Error(ErrorCode::invalid_argument, std::move(message)).about(std::move(what)).with_context("network");
}

Error unreadable(std::string message, std::string what) {
  return Error(ErrorCode::parse_error, std::move(message)).about(std::move(what)).with_context("network");
}

std::string text_of(const NetworkShape& shape) { return fmt::format("{}-{}-1", shape.inputs, shape.hidden); }

Result<void> check_samples(std::span<const TrainingSample> samples, const TrainingOptions& options) {
  if (samples.size() < 2) return untrainable("training needs two samples at least", fmt::format("{}", samples.size()));
  const std::size_t inputs = samples.front().inputs.size();
  if (inputs == 0 || options.hidden == 0)
    return untrainable("a network has inputs and hidden neurons", text_of({inputs, options.hidden}));
  for (const TrainingSample& sample : samples) {
    if (sample.inputs.size() != inputs)
      return untrainable(fmt::format("the first sample has {} inputs", inputs),
                         fmt::format("{}", sample.inputs.size()));
    for (const double input : sample.inputs)
      if (!std::isfinite(input)) return untrainable("an input is no number", fmt::format("{}", input));
    if (!std::isfinite(sample.output)) return untrainable("an output is no number", fmt::format("{}", sample.output));
  }
  return {};
}

// A reader of a text's words, which are separated by blanks and line ends.
class Words {
 public:
  explicit Words(std::string_view text) : left_(text) {}

  std::string_view next() {
    left_.remove_prefix(std::min(left_.find_first_not_of(" \n\r\t"), left_.size()));
    const std::string_view word = left_.substr(0, left_.find_first_of(" \n\r\t"));
    left_.remove_prefix(word.size());
    return word;
  }
  Result<double> number() {
    const std::string_view word = next();
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty()) return unreadable("the text ends early", "");
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
      return unreadable("this is no number", std::string(word.substr(0, 40)));
    return value;
  }

 private:
  std::string_view left_;
};

Result<TrainedRange> read_range(Words& words) {
  WATTUNE_ASSIGN(const double low, words.number());
  WATTUNE_ASSIGN(const double high, words.number());
  return TrainedRange{low, high};
}

// Returns the range of the values that `number_of` takes from the samples.
template <typename Number>
TrainedRange trained_range(std::span<const TrainingSample> samples, const Number& number_of) {
  TrainedRange range{number_of(samples.front()), number_of(samples.front())};
  for (const TrainingSample& sample : samples)
    range = {std::min(range.low, number_of(sample)), std::max(range.high, number_of(sample))};
  return range;
}

}  // namespace

Result<Perceptron> Perceptron::train(std::span<const TrainingSample> samples, const TrainingOptions& options) {
  WATTUNE_TRY(check_samples(samples, options));
  Perceptron network;
  network.shape_ = {samples.front().inputs.size(), options.hidden};
  for (std::size_t i = 0; i < network.shape_.inputs; ++i)
    network.inputs_.push_back(trained_range(samples, [i](const TrainingSample& sample) { return sample.inputs[i]; }));
  network.output_ = trained_range(samples, [](const TrainingSample& sample) { return sample.output; });
  const auto rows = static_cast<Eigen::Index>(samples.size());
  Eigen::MatrixXd inputs(rows, static_cast<Eigen::Index>(network.shape_.inputs));
  Eigen::VectorXd outputs(rows);
  for (std::size_t row = 0; row < samples.size(); ++row) {
    const auto place = static_cast<Eigen::Index>(row);
    for (std::size_t i = 0; i < network.shape_.inputs; ++i)
      inputs(place, static_cast<Eigen::Index>(i)) = network.inputs_[i].scaled(samples[row].inputs[i]);
    outputs(place) = network.output_.scaled(samples[row].output);
  }
  const auto parameters = trained_parameters(network.shape_, inputs, outputs, options.seed, options.most_steps);
  network.parameters_.assign(parameters.begin(), parameters.end());
  return network;
}

double Perceptron::at(std::span<const double> inputs) const {
  std::vector<double> scaled;
  for (std::size_t i = 0; i < shape_.inputs; ++i) scaled.push_back(inputs_[i].scaled(inputs[i]));
  return output_.unscaled(network_output(shape_, parameters_.data(), scaled.data()));
}

std::string Perceptron::to_text() const {
  std::string text = fmt::format("{}\n{}\n", kHeading, text_of(shape_));
  for (const TrainedRange& range : inputs_) text += fmt::format("{} {}\n", range.low, range.high);
  text += fmt::format("{} {}\n", output_.low, output_.high);
  for (const double parameter : parameters_) text += fmt::format("{}\n", parameter);
  return text;
}

Result<Perceptron> Perceptron::from_text(std::string_view text, const NetworkShape& shape) {
  if (!text.starts_with(kHeading)) return unreadable("this is no network", std::string(text.substr(0, 40)));
  Words words(text.substr(kHeading.size()));
  if (const std::string_view found = words.next(); found != text_of(shape))
    return unreadable(fmt::format("a network of the shape {} is needed", text_of(shape)),
                      std::string(found.substr(0, 40)));
  Perceptron network;
  network.shape_ = shape;
  network.inputs_.resize(shape.inputs);
  for (TrainedRange& range : network.inputs_) {
    WATTUNE_ASSIGN(range, read_range(words));
  }
  WATTUNE_ASSIGN(network.output_, read_range(words));
  network.parameters_.resize(shape.parameters());
  for (double& parameter : network.parameters_) {
    WATTUNE_ASSIGN(parameter, words.number());
  }
  if (const std::string_view rest = words.next(); !rest.empty())
    return unreadable("the text goes on after the network", std::string(rest.substr(0, 40)));
  return network;
}

}  // namespace wattune::model
