// The mean of 3 * 3 pixels, those at the edge counted again where there are no more.
extern "C" __global__ void blur(cudaSurfaceObject_t blurred, cudaTextureObject_t picture, int columns, int rows) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= columns) return;
  const int first = (blockIdx.y * blockDim.y + threadIdx.y) * rows_per_item;
  for (int y = first; y < min(first + rows_per_item, rows); ++y) {
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const float4 pixel = tex2D<float4>(picture, x + dx + 0.5f, y + dy + 0.5f);
        sum[0] += pixel.x;
        sum[1] += pixel.y;
        sum[2] += pixel.z;
        sum[3] += pixel.w;
      }
    unsigned char mean[4];
    for (int i = 0; i < 4; ++i) mean[i] = static_cast<unsigned char>(sum[i] / 9.0f * 255.0f + 0.5f);
    surf2Dwrite(make_uchar4(mean[0], mean[1], mean[2], mean[3]), blurred, x * 4, y);
  }
}
