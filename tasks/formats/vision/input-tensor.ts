import type { ModelInput } from './manifest.ts'

/** The pixels of an image of the input's size, three bytes each, as the numbers that a model takes. */
export function buildInputTensor(
  pixels: Uint8Array,
  { width, height, layout, channels, type, scale, mean, std }: ModelInput,
): { dims: number[]; data: Float32Array | Uint8Array } {
  const count = width * height
  const planes = channels === 'grey' ? 1 : 3
  const data = type === 'uint8' ? new Uint8Array(count * planes) : new Float32Array(count * planes)
  const [perPlane, perPixel] = layout === 'nchw' ? [count, 1] : [1, planes]
  for (let plane = 0; plane < planes; plane++) {
    const { factor, offset } = planScale({ type, scale, mean, std }, plane)
    for (let pixel = 0; pixel < count; pixel++) {
      data[plane * perPlane + pixel * perPixel] = readChannel(pixels, pixel * 3, channels, plane) * factor - offset
    }
  }
  return { dims: layout === 'nchw' ? [1, planes, height, width] : [1, height, width, planes], data }
}

/** Bytes are not scaled. */
function planScale({ type, scale, mean, std }: Pick<ModelInput, 'type' | 'scale' | 'mean' | 'std'>, plane: number) {
  if (type === 'uint8') return { factor: 1, offset: 0 }
  const divisor = std?.[plane] ?? 1
  return { factor: scale / divisor, offset: (mean?.[plane] ?? 0) / divisor }
}

function readChannel(pixels: Uint8Array, at: number, channels: ModelInput['channels'], plane: number): number {
  if (channels === 'rgb') return pixels[at + plane]!
  if (channels === 'bgr') return pixels[at + 2 - plane]!
  return 0.299 * pixels[at]! + 0.587 * pixels[at + 1]! + 0.114 * pixels[at + 2]!
}
