// The likelihood of each particle of a filter that follows an object in a film: how far the pixels of the frame under
// the object, where the particle says that it is, are from the background and how near to the object's brightness.
//
// BLOCK  work-items of a work-group, a particle each

#define BACKGROUND 100
#define OBJECT 228

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void particle_filter(
    __global const int* restrict frame, __global const float* restrict at_x, __global const float* restrict at_y,
    __global const int* restrict offsets, __global float* restrict likelihood, const int width, const int height,
    const int particles, const int points) {
  const int i = get_global_id(0);
  if (i >= particles) return;
  const int x = (int)(at_x[i] + 0.5f);
  const int y = (int)(at_y[i] + 0.5f);
  float sum = 0.0f;
  for (int k = 0; k < points; ++k) {
    const int pixel_x = clamp(x + offsets[2 * k], 0, width - 1);
    const int pixel_y = clamp(y + offsets[2 * k + 1], 0, height - 1);
    const int pixel = frame[pixel_y * width + pixel_x];
    const int background = pixel - BACKGROUND;
    const int object = pixel - OBJECT;
    sum += (float)(background * background - object * object) / 50.0f;
  }
  likelihood[i] = sum / (float)points;
}
