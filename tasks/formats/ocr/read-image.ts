import type { Tools } from '../../kit/operation.ts'
import { hasVerticalLines } from './direction.ts'

type OcrInput = Awaited<ReturnType<Tools['sharp']['prepareOcrInput']>>
type Recognition = Awaited<ReturnType<Tools['tesseract']['recognize']>>
export type Quarter = 0 | 90 | 180 | 270

interface ImageReading {
  image: OcrInput
  /** By how many degrees the image was turned clockwise. */
  rotation: Quarter
  reading: Recognition
}

interface ImageReader {
  prepare(rotation: Quarter, enlarge: number): Promise<OcrInput>
  recognize(image: OcrInput): Promise<Recognition>
  detectRotation(image: OcrInput): Promise<Quarter>
}

/** Tesseract reads upside-down text as nonsense with a confidence below this. */
const MIN_CONFIDENCE = 70
/** Below this, small letters may be read better once they are larger. */
const CLEAR_CONFIDENCE = 90
const ENLARGE = 3
const MAX_PIXELS_TO_ENLARGE = 1_300_000

/** Reads an image, turned upright if that is needed to read it, and enlarged if its letters are too small. */
export async function readImage(autoRotate: boolean, reader: ImageReader): Promise<ImageReading> {
  const read = async (rotation: Quarter, enlarge: number): Promise<ImageReading> => {
    const image = await reader.prepare(rotation, enlarge)
    return { image, rotation, reading: await reader.recognize(image) }
  }
  const found = autoRotate ? await readUpright(read, reader) : await read(0, 1)
  const isSmall = found.image.width * found.image.height <= MAX_PIXELS_TO_ENLARGE
  if (!isSmall || found.reading.confidence >= CLEAR_CONFIDENCE) return found
  const larger = await read(found.rotation, ENLARGE)
  // Noise is read as letters in any size.
  const isReadable = larger.reading.confidence >= MIN_CONFIDENCE
  return isReadable && larger.reading.confidence > found.reading.confidence ? larger : found
}

async function readUpright(
  read: (rotation: Quarter, enlarge: number) => Promise<ImageReading>,
  reader: ImageReader,
): Promise<ImageReading> {
  const found = await read(0, 1)
  if (found.reading.confidence >= MIN_CONFIDENCE && !hasVerticalLines(found.reading.lines)) return found
  const rotation = await reader.detectRotation(found.image)
  if (rotation === 0) return found
  const turned = await read(rotation, 1)
  const isBetter = turned.reading.confidence > found.reading.confidence || !hasVerticalLines(turned.reading.lines)
  return isBetter ? turned : found
}
