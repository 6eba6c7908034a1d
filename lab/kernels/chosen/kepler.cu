// anomalies[i] = the solution E of Kepler's equation E - e sin E = M, by Newton's method. The steps that it takes
// depend on the eccentricity e and the mean anomaly M of each orbit.
extern "C" __global__ void __launch_bounds__(256)
    kepler(const double* __restrict__ means, const double* __restrict__ eccentricities, double* __restrict__ anomalies,
           int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double mean = means[i], eccentricity = eccentricities[i];
  double anomaly = eccentricity > 0.8 ? 3.14159265358979324 : mean;
  for (int step = 0; step < 64; ++step) {
    double sine, cosine;
    sincos(anomaly, &sine, &cosine);
    const double change = (anomaly - eccentricity * sine - mean) / (1.0 - eccentricity * cosine);
    anomaly -= change;
    if (fabs(change) < 1e-12) break;
  }
  anomalies[i] = anomaly;
}
