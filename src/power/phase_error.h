// Estimates the error of a mean power that batches at sixteen phases leave, from how the powers of the batches vary
// from phase to phase.
//
// The sensor shows the sixteenth harmonic of a launch's power as a part of the mean. Nothing shows this harmonic alone,
// but the fifth to the eighth are known. In the sixteenth there is less, for two reasons: the sensor's window smooths
// it more, and powers that change in steps have harmonics that fall with their number. Noise falls for no reason, so
// that it is told apart.
#pragma once

#include <functional>
#include <vector>

#include "power/phases.h"

namespace wattune::inline v0_1::power {

// The mean powers of the batches.
struct BatchPowers {
  std::vector<double> shares;         // powers of the batches by phase, divided by the mean of all
  std::vector<Load::Batch> batches;   // the batches of these powers
  std::vector<std::size_t> in_order;  // places of the batches in the order of time

  bool all_phases() const { return shares.size() == kPhases; }
  Nanoseconds time() const;  // mean time of a batch
};

// Computes the mean powers of the batches; `mean` returns that of a time. If one batch has none, as the last may, it
// gets the mean of the phases beside it; if more have none, they are left out. The result is empty if the powers are
// not above 0.
BatchPowers powers_of(const Phases& phases,
                      const std::function<Result<Watts>(Nanoseconds begin, Nanoseconds end)>& mean);

// Variances of a batch's power that have other causes than phases, in squared shares.
struct BatchNoise {
  double elsewhere = 0.0;  // the part that another bound covers
  double of_mean = 0.0;    // the part that the mean of all batches has as well
};

// Returns half of the 95 % interval of the mean, as a share of it. `readings` is the time between two readings if the
// powers are interpolated between readings, otherwise 0. `fall` is what fall_of() returns.
double bound_of_phases(const BatchPowers& powers, const BatchNoise& noise, Nanoseconds readings, double fall);

// Returns how large the sixteenth harmonic of a launch's power is in this sensor's readings, divided by the fifth to
// the eighth. The phases divide `span`.
double fall_of(const SensorTraits& traits, Nanoseconds span);

// Returns the error of an energy if the first and the last batch count by up to a period too little, which gives the
// other phases more weight: twice its standard deviation, in the energy of a period. `of_batch` is the variance that
// noise gives a batch.
double error_of_ends(const BatchPowers& powers, double of_batch);

// Returns the variance of a batch's power by a counter if its moments err with this variance, in squared shares of the
// time of a batch. A moment between two batches adds to one what it takes from the other. So the harmonics show more or
// less of it, depending on the order of the phases.
double variance_by_moments(const BatchPowers& powers, double of_moment);

// Returns the variance of a batch's power that follows from the times between batches, at which readings show a mixture
// of two batches. `of_weights` is the variance of the time for which a reading counts, in squared periods. `of_steps`
// is the variance that noise gives the difference of two batches.
double variance_by_mixtures(const BatchPowers& powers, Nanoseconds period, double of_weights, double of_steps);

// A part of the load that a sensor shows: a reading of a power sensor, or what a counter adds in a period.
struct Sight {
  Nanoseconds since;  // no earlier than this ...
  Nanoseconds until;  // ... and no later than this the sensor saw it
  double value;
};

// Returns the parts that the sensor shows. Precondition: its period is known.
std::vector<Sight> sights_of(const Trace<Watts>& power);
std::vector<Sight> sights_of(const Trace<Joules>& counter);

// Returns the variance of a batch's power that follows from the differences within the batches. Within a batch,
// launches in step with the sensor always have the same phase. `of_weights` is as above. Returns nullopt if no batch
// has two of these parts.
std::optional<double> variance_within(const BatchPowers& powers, const std::vector<Sight>& sights, Nanoseconds period,
                                      double of_weights);

// Returns how much of the variation from phase to phase in `seen` is also in `counted`, at most: 1 if a counter adds up
// what a sensor sees, and 0 if it misses nothing.
double share_counted(const BatchPowers& seen, const BatchPowers& counted);

}  // namespace wattune::power
