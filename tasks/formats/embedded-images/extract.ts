import type { Tools } from '../../kit/operation.ts'
import { groupIntoBatches } from '../pdf/batches.ts'
import type { DrawnImage } from '../pdf/document.ts'
import {
  deduplicateObjects,
  groupInlineImages,
  type IMAGE_FORMATS,
  imageKeyOf,
  type SelectedImage,
} from './selection.ts'

interface Extraction {
  selected: readonly SelectedImage[]
  drawnImages: readonly DrawnImage[]
  /** `original`: JPEG and JPEG 2000 stay as they are, where they look the same as on the page. */
  format: 'original' | 'png' | 'jpeg'
}

type ExtractTools = Pick<Tools, 'libpdf' | 'pageRenderer' | 'poppler' | 'qpdf' | 'sharp'> & {
  out(name: string): string
  progress(done: number, total: number, unit: string): void
}

type ExtractedImages = Map<string, { path: string; kind: keyof typeof IMAGE_FORMATS }>

/** Writes the images of a PDF as files, by their keys; there is none for an inline image that cannot be read. */
export async function extractImages(
  path: string,
  { selected, drawnImages, format }: Extraction,
  tools: ExtractTools,
): Promise<ExtractedImages> {
  const { libpdf, pageRenderer, poppler, out } = tools
  const extracted: ExtractedImages = new Map()
  const kind = format === 'jpeg' ? 'jpeg' : 'png'
  const encode = async (image: SelectedImage, from: string) => {
    const options = { format: kind, isBilevel: image.bits === 1, isGrey: image.color === 'gray' } as const
    const to = out(`image-${extracted.size}-${imageKeyOf(image).replace(/\W/, '-')}`)
    extracted.set(imageKeyOf(image), { path: await tools.sharp.encodeImage(from, { ...options, to }), kind })
    tools.progress(extracted.size, selected.length, 'pictures')
  }
  const objects = deduplicateObjects(selected)
  if (objects.length > 0) {
    const objectIds = objects.map(({ object }) => object!)
    const isolated = await libpdf.isolateImages(path, { objects: objectIds, to: out('sheet.pdf') })
    const { rawKinds } = isolated
    const isRaw = (index: number) => rawKinds[index] === format || (format === 'original' && rawKinds[index])
    const raw = [...objects.entries()].filter(([index]) => isRaw(index) || rawKinds[index] === 'transparent-jp2')
    const files = await extractRaw(isolated.path, raw, tools)
    for (const [at, [index, image]] of raw.entries()) {
      const rawKind = rawKinds[index]!
      if (rawKind === 'transparent-jp2') await encode(image, files[at]!)
      else extracted.set(imageKeyOf(image), { path: files[at]!, kind: rawKind })
    }
    const remaining = [...objects.entries()].filter(entry => !raw.some(([index]) => index === entry[0]))
    const sizes = remaining.map(([index, { width, height }]) => ({ page: index + 1, width, height, dpi: 72 }))
    for (const batch of groupIntoBatches(sizes)) {
      const renderings = await pageRenderer.render(isolated.path, batch, { box: 'media', isTransparent: true })
      await Promise.all(batch.map(({ page }, at) => encode(objects[page - 1]!, renderings[at]!)))
      await pageRenderer.discard(renderings)
    }
  }
  for (const [page, images] of groupInlineImages(selected, drawnImages)) {
    const files = await poppler.extractInlineImages(path, {
      page,
      drawIndexes: images.map(({ drawIndex }) => drawIndex),
    })
    const readable = images.flatMap((image, index) => (files[index] ? [{ image, from: files[index] }] : []))
    await Promise.all(readable.map(({ image, from }) => encode(image, from)))
  }
  return extracted
}

async function extractRaw(
  path: string,
  images: readonly (readonly [number, SelectedImage])[],
  { qpdf, out }: Pick<ExtractTools, 'qpdf' | 'out'>,
): Promise<string[]> {
  if (images.length === 0) return []
  const streams = images.map(([index, { object }]) => ({
    object: object![0],
    generation: object![1],
    isRaw: true,
    to: out(`raw-${index}`),
  }))
  return qpdf.extractStreams(path, streams)
}
