import { Type } from 'typebox'
import { FileInput } from '#kit'
import type { Region, Size } from '../formats/geometry/region.ts'
import { READABLE_IMAGE_TYPES } from '../formats/raster/readable.ts'

export function ImageInput(description?: string) {
  return FileInput({ accept: READABLE_IMAGE_TYPES, probe: 'image', description })
}

export function Confidence(byDefault: number, description = 'What is less sure is left out.') {
  return Type.Number({ default: byDefault, minimum: 0, maximum: 100, description })
}

export const Sureness = Type.Number({ minimum: 0, maximum: 100 })

const Side = Type.Number({ minimum: 0, maximum: 1 })
const Pixels = Type.Integer({ minimum: 0 })

export const Box = Type.Object(
  {
    ...{ x: Side, y: Side, width: Side, height: Side },
    pixels: Type.Object({ x: Pixels, y: Pixels, width: Pixels, height: Pixels }),
  },
  { description: 'As fractions of the image as displayed, from its top left corner, and in pixels.' },
)

/** Fields of every answer. */
export const analysisFields = {
  image: Type.Object({ width: Type.Integer({ minimum: 1 }), height: Type.Integer({ minimum: 1 }) }),
  engine: Type.String({ description: 'The provider that analysed the image, or onnx for a model of this service.' }),
  model: Type.Optional(Type.String({ description: 'Name of that model.' })),
  modelSha256: Type.Optional(Type.String()),
}

/** Problems of every vision operation. */
export const VISION_ERRORS = [
  'IMAGE_DECODE_FAILED',
  'IMAGE_TOO_SMALL',
  'UNSUPPORTED_FORMAT',
  'TOO_MANY_PIXELS',
  'TIME_LIMIT_EXCEEDED',
  'MEMORY_LIMIT_EXCEEDED',
  'SANDBOX_UNAVAILABLE',
  'PROVIDER_NOT_CONFIGURED',
  'PROVIDER_UNAVAILABLE',
] as const

export function toBox({ x, y, width, height }: Region, image: Size) {
  const left = Math.round(x * image.width)
  const top = Math.round(y * image.height)
  const pixels = {
    x: left,
    y: top,
    width: Math.round((x + width) * image.width) - left,
    height: Math.round((y + height) * image.height) - top,
  }
  return { x, y, width, height, pixels }
}

interface Engine {
  image: Size
  engine: string
  model?: string
  modelSha256?: string
}

export function describeAnalysis({ image, engine, model, modelSha256 }: Engine): Engine {
  return { image, engine, ...(model !== undefined && { model, modelSha256 }) }
}
