#include "model/bayesian_training.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "wattune/core/random.h"

namespace wattune::inline v0_1::model {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kMostDamping = 1e10;
constexpr double kFirstDamping = 1e-2;
constexpr double kLeastChange = 1e-7;    // share of the objective; a step that changes it by less is quiet
constexpr int kQuietSteps = 5;           // training ends after this many quiet steps in a row
constexpr double kLeastSquares = 1e-12;  // squared error per sample that counts as an exact fit

// Minimises beta * (squared errors) + alpha * (squared parameters). Alpha and beta change from step to step.
class Training {
 public:
  Training(const NetworkShape& shape, const Eigen::MatrixXd& inputs, const Eigen::VectorXd& outputs, std::uint64_t seed)
      : shape_(shape), inputs_(inputs), outputs_(outputs), parameters_(random_parameters(shape, seed)) {
    linearise();
  }

  // Takes a step. Returns false if no step reduces the objective.
  bool step() {
    const Eigen::VectorXd downhill = beta_ * jacobian_.transpose() * errors_ - alpha_ * parameters_;
    const double before = objective(parameters_);
    for (; damping_ <= kMostDamping; damping_ *= 10.0) {
      const Eigen::VectorXd moved = parameters_ + damped_solution(downhill);
      const double after = objective(moved);
      if (!(after < before)) continue;
      is_quiet_ = before - after <= kLeastChange * before;
      parameters_ = moved;
      damping_ = std::max(damping_ / 10.0, 1e-12);
      linearise();
      reweigh();
      return true;
    }
    return false;
  }

  bool is_quiet() const { return is_quiet_; }
  const Eigen::VectorXd& parameters() const { return parameters_; }

 private:
  // Draws uniform parameters, so small that the neurons begin in the steep part of tanh.
  static Eigen::VectorXd random_parameters(const NetworkShape& shape, std::uint64_t seed) {
    Random random(seed);
    Eigen::VectorXd parameters(static_cast<Eigen::Index>(shape.parameters()));
    const double width = 1.0 / std::sqrt(static_cast<double>(shape.inputs));
    for (double& each : parameters) each = width * (2.0 * random.uniform() - 1.0);
    return parameters;
  }

  double output_of(const Eigen::VectorXd& parameters, Eigen::Index sample) const {
    return network_output(shape_, parameters.data(), inputs_.row(sample).data());
  }

  Eigen::VectorXd errors_with(const Eigen::VectorXd& parameters) const {
    Eigen::VectorXd errors = outputs_;
    for (Eigen::Index i = 0; i < errors.size(); ++i) errors(i) -= output_of(parameters, i);
    return errors;
  }

  double objective(const Eigen::VectorXd& parameters) const {
    return beta_ * errors_with(parameters).squaredNorm() + alpha_ * parameters.squaredNorm();
  }

  // Computes the errors and the derivative of each output with respect to each parameter.
  void linearise() {
    errors_ = errors_with(parameters_);
    jacobian_.resize(inputs_.rows(), parameters_.size());
    for (Eigen::Index i = 0; i < inputs_.rows(); ++i) fill_gradient(i);
    gram_ = jacobian_ * jacobian_.transpose();
  }

  void fill_gradient(Eigen::Index sample) {
    const auto inputs = inputs_.cols();
    const auto hidden = static_cast<Eigen::Index>(shape_.hidden);
    const Eigen::Index output = hidden * (inputs + 1);
    for (Eigen::Index k = 0; k < hidden; ++k) {
      const Eigen::Index first = k * (inputs + 1);
      const double active =
          std::tanh(parameters_.segment(first, inputs).dot(inputs_.row(sample)) + parameters_(first + inputs));
      const double slope = parameters_(output + k) * (1.0 - active * active);
      jacobian_.row(sample).segment(first, inputs) = slope * inputs_.row(sample);
      jacobian_(sample, first + inputs) = slope;
      jacobian_(sample, output + k) = active;
    }
    jacobian_(sample, output + hidden) = 1.0;
  }

  // Returns (beta J^T J + ridge)^-1 * downhill. The Woodbury identity moves the solution to the space of the samples,
  // which are usually fewer than the parameters.
  Eigen::VectorXd damped_solution(const Eigen::VectorXd& downhill) const {
    const double ridge = alpha_ + damping_;
    const Eigen::VectorXd across = penalised_gram(ridge / beta_).llt().solve(jacobian_ * downhill);
    return (downhill - jacobian_.transpose() * across) / ridge;
  }

  Eigen::MatrixXd penalised_gram(double penalty) const {
    Eigen::MatrixXd matrix = gram_;
    matrix.diagonal().array() += penalty;
    return matrix;
  }

  // Sets the weights alpha and beta under which the data are likeliest. `gamma` is the number of parameters that the
  // samples determine; the penalty keeps the others small. Foresee and Hagan's (1997) N - 2 alpha tr H^-1 is this gamma
  // in the space of the samples.
  void reweigh() {
    const auto samples = static_cast<double>(inputs_.rows());
    const double penalty = alpha_ / beta_;
    const Eigen::MatrixXd inverse =
        penalised_gram(penalty).llt().solve(Eigen::MatrixXd::Identity(gram_.rows(), gram_.cols()));
    const double gamma = std::clamp(samples - penalty * inverse.trace(), 0.0, samples - 1.0);
    alpha_ = std::max(gamma, 1e-3) / (2.0 * parameters_.squaredNorm());
    beta_ = (samples - gamma) / (2.0 * std::max(errors_.squaredNorm(), kLeastSquares * samples));
  }

  NetworkShape shape_;
  RowMajor inputs_;
  Eigen::VectorXd outputs_;
  Eigen::VectorXd parameters_;
  Eigen::VectorXd errors_;
  RowMajor jacobian_;
  Eigen::MatrixXd gram_;
  double alpha_ = 0.01;
  double beta_ = 1.0;
  double damping_ = kFirstDamping;
  bool is_quiet_ = false;
};

}  // namespace

double network_output(const NetworkShape& shape, const double* parameters, const double* inputs) {
  const double* output = parameters + shape.hidden * (shape.inputs + 1);
  double sum = output[shape.hidden];
  for (std::size_t k = 0; k < shape.hidden; ++k, parameters += shape.inputs + 1) {
    double excitation = parameters[shape.inputs];
    for (std::size_t i = 0; i < shape.inputs; ++i) excitation += parameters[i] * inputs[i];
    sum += output[k] * std::tanh(excitation);
  }
  return sum;
}

Eigen::VectorXd trained_parameters(const NetworkShape& shape, const Eigen::MatrixXd& inputs,
                                   const Eigen::VectorXd& outputs, std::uint64_t seed, std::size_t most_steps) {
  Training training(shape, inputs, outputs, seed);
  int quiet = 0;
  for (std::size_t i = 0; i < most_steps && quiet < kQuietSteps && training.step(); ++i)
    quiet = training.is_quiet() ? quiet + 1 : 0;
  return training.parameters();
}

}  // namespace wattune::model
