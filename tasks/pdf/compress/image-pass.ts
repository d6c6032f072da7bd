import { Problem } from '#kit'
import type { DrawnImage } from '../../formats/pdf/document.ts'
import type { Tools } from '../../kit/operation.ts'
import type { ImageQuality } from './levels.ts'

type PassTools = Pick<Tools, 'qpdf' | 'libpdf' | 'sharp' | 'poppler'> & { out(name: string): string }
type StoredImage = Awaited<ReturnType<Tools['libpdf']['readImageEncodings']>>[number]

/** An image, with the data to encode it from. */
interface SourceImage extends StoredImage {
  kind: 'jpeg' | 'samples' | 'bits'
  data: string
  /** Of its largest use on any page. */
  dpi: number
}

/** An image is made smaller only if that takes away at least a fifth of its width. */
const MIN_REDUCTION = 0.8
/** A JPEG of the same size must get this much smaller, because each encoding costs quality. */
const MAX_SHARE_OF_JPEG = 0.85
const MAX_SAMPLE_BYTES = 48 * 2 ** 20
const MAX_TOTAL_BYTES = 400 * 2 ** 20
const MIN_STORED_BYTES = 1024

/** Finds the images of a document that can be encoded again, and unpacks their data. */
export async function collectImages(path: string, pages: number, tools: PassTools): Promise<SourceImage[]> {
  const drawn = await tools.poppler.listImages(path, { first: 1, last: pages })
  const resolutions = findLowestResolutions(drawn)
  const objects = [...resolutions.values()].map(({ object }) => object)
  if (objects.length === 0) return []
  let totalBytes = 0
  const images = (await tools.libpdf.readImageEncodings(path, objects)).filter(image => {
    const bytes = image.kind === 'jpeg' ? image.storedBytes : image.width * image.height * Math.max(1, image.channels)
    const isTaken = image.kind && image.storedBytes >= MIN_STORED_BYTES && bytes <= MAX_SAMPLE_BYTES
    if (isTaken && totalBytes + bytes <= MAX_TOTAL_BYTES) totalBytes += bytes
    else return false
    return true
  })
  const streams = images.map(({ object: [object, generation], kind }) => ({
    object,
    generation,
    isRaw: kind === 'jpeg',
    to: tools.out(`image-${object}-${generation}`),
  }))
  const wrapped = images.flatMap(({ kind, isWrapped, object }) => (kind === 'jpeg' && isWrapped ? [object] : []))
  const source =
    wrapped.length > 0 ? await tools.libpdf.unwrapImages(path, wrapped, { to: tools.out('plain.pdf') }) : path
  const data = streams.length > 0 ? await extract(source, streams, tools) : []
  return data.map((file, index) => {
    const image = images[index]!
    return { ...image, kind: image.kind!, data: file, dpi: resolutions.get(image.object.join())!.dpi }
  })
}

/** Damaged or oversized streams make the whole step fail; the images then stay as they are. */
async function extract(
  path: string,
  streams: Parameters<Tools['qpdf']['extractStreams']>[1],
  { qpdf }: PassTools,
): Promise<string[]> {
  try {
    return await qpdf.extractStreams(path, streams)
  } catch (error) {
    if (error instanceof Problem && error.code === 'PDF_PARSE_FAILED') return []
    throw error
  }
}

function findLowestResolutions(drawn: readonly DrawnImage[]) {
  const found = new Map<string, { object: [number, number]; dpi: number }>()
  for (const { object, dpi } of drawn) {
    if (!object) continue
    const before = found.get(object.join())?.dpi ?? Number.POSITIVE_INFINITY
    found.set(object.join(), { object, dpi: Math.min(before, dpi) })
  }
  return found
}

/** Encodes the images again where that makes them smaller. Returns the number of images that were replaced. */
export async function encodeImages(
  path: string,
  images: readonly SourceImage[],
  { dpi, quality }: ImageQuality,
  { to, sharp, libpdf, out }: PassTools & { to: string },
): Promise<{ path: string; touched: number }> {
  const replaced: {
    object: [number, number]
    width: number
    height: number
    filter: 'DCTDecode' | 'CCITTFaxDecode'
  }[] = []
  const files: string[] = []
  for (const image of images) {
    const { object, kind, width, height, channels, data } = image
    const size = kind === 'bits' ? { newWidth: width, newHeight: height } : reduceSize(image, dpi)
    const name = out(`new-${object.join('-')}-${dpi}-${quality}`)
    const encoded = await sharp.encodePdfImage(data, { kind, width, height, channels, quality, ...size, to: name })
    const isReduced = size.newWidth < width
    const maxBytes = image.storedBytes * (kind === 'jpeg' && !isReduced ? MAX_SHARE_OF_JPEG : 1)
    if (!encoded || encoded.sizeBytes >= maxBytes) continue
    files.push(encoded.path)
    const filter = kind === 'bits' ? 'CCITTFaxDecode' : 'DCTDecode'
    replaced.push({ object, width: size.newWidth, height: size.newHeight, filter })
  }
  if (files.length === 0) return { path, touched: 0 }
  return { path: await libpdf.replaceImageData(path, files, { images: replaced, to }), touched: files.length }
}

function reduceSize({ width, height, dpi: currentDpi }: SourceImage, dpi: number) {
  const scale = currentDpi > 0 ? dpi / currentDpi : 1
  if (scale > MIN_REDUCTION) return { newWidth: width, newHeight: height }
  return { newWidth: Math.max(1, Math.round(width * scale)), newHeight: Math.max(1, Math.round(height * scale)) }
}
