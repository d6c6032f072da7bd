/** The most pixels that are rendered before they are encoded and released. */
const PIXELS_AT_ONCE = 40_000_000
const PAGES_AT_ONCE = 16

/** Groups images that are rendered together. */
export function groupIntoBatches<Raster extends { width: number; height: number }>(
  rasters: readonly Raster[],
): Raster[][] {
  const batches: Raster[][] = []
  let pixels = 0
  for (const raster of rasters) {
    const size = raster.width * raster.height
    const last = batches.at(-1)
    if (last && last.length < PAGES_AT_ONCE && pixels + size <= PIXELS_AT_ONCE) {
      last.push(raster)
      pixels += size
    } else {
      batches.push([raster])
      pixels = size
    }
  }
  return batches
}
