import { Type } from 'typebox'
import { Choice, define, FileManifest, FileOutput, PageRanges, perPage } from '#kit'
import { groupIntoBatches } from '../formats/pdf/batches.ts'
import { checkParts, packageParts, ZIP, zip } from '../formats/pdf/manifest.ts'
import { makeReadable } from '../formats/pdf/opening.ts'
import {
  deduplicateObjects,
  describePart,
  groupInlineImages,
  IMAGE_FORMATS,
  type ImagesInput,
  imageKeyOf,
  type SelectedImage,
  selectImages,
} from './images/selection.ts'
import { collectReadWarnings, PDF_ERRORS, PdfInput, password, selectPages } from './schema.ts'

const PART_FIELDS = {
  page: Type.Integer({ minimum: 1, description: 'Page of its first use.' }),
  occurrences: Type.Integer({ minimum: 1 }),
  width: Type.Integer({ minimum: 1 }),
  height: Type.Integer({ minimum: 1 }),
  dpi: Type.Integer({ minimum: 0, description: 'Pixels per inch at its first use.' }),
  colorSpace: Type.String({ description: 'gray, rgb, cmyk, icc, lab, indexed, separation, device-n or mask.' }),
}
const CONTENT_TYPES = Object.values(IMAGE_FORMATS).map(({ contentType }) => contentType)

export default define({
  summary: 'Extract the images of a PDF.',
  keywords: 'extract images, embedded pictures, photos inside, pull out, save graphics',
  description:
    'JPEG and JPEG 2000 are returned unchanged where they look the same as on the page; everything else, and images ' +
    'with transparency, become PNG. A scan stored in strips is returned as strips.',
  price: perPage('0.001', ({ file, pages }: ImagesInput) => selectPages(file, pages).length, 'selected page'),
  uses: ['qpdf', 'libpdf', 'poppler', 'pageRenderer', 'sharp', 'zip'],
  input: Type.Object({
    file: PdfInput(),
    pages: PageRanges({ default: 'all' }),
    format: Choice(['original', 'png', 'jpeg'], { default: 'original' }),
    minSide: Type.Integer({ default: 16, minimum: 1, maximum: 10_000, description: 'Smaller images are left out.' }),
    dedupe: Type.Boolean({ default: true, description: 'Return an image that is used several times only once.' }),
    zip,
    password,
  }),
  output: Type.Object({
    files: Type.Optional(FileManifest(CONTENT_TYPES, PART_FIELDS)),
    output: Type.Optional(FileOutput(ZIP)),
    parts: Type.Optional(Type.Array(Type.Object({ ...PART_FIELDS, name: Type.String(), contentType: Type.String() }))),
  }),
  errors: [...PDF_ERRORS, 'BAD_RANGE', 'OUTPUT_TOO_LARGE', 'TOO_MANY_OUTPUTS', 'TOO_MANY_PIXELS'],
  examples: [
    {
      title: 'The images of a leaflet',
      input: { file: 'sample:leaflet.pdf' },
      answer: {
        files: [
          { page: 1, occurrences: 2, width: 60, height: 40, contentType: 'image/jpeg', colorSpace: 'rgb' },
          { page: 1, contentType: 'image/png', colorSpace: 'rgb' },
        ],
      },
    },
  ],

  async run(input, { qpdf, libpdf, poppler, pageRenderer, sharp, zip, out, progress }) {
    const { file, format } = input
    const path = await makeReadable(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const pages = selectPages(file, input.pages)
    const drawnImages = await poppler.listImages(path, { first: Math.min(...pages), last: Math.max(...pages) })
    const selected = selectImages(drawnImages, input)
    checkParts(selected.length, input.zip)
    const inline = groupInlineImages(selected, drawnImages)
    const extracted = new Map<string, { path: string; kind: keyof typeof IMAGE_FORMATS }>()
    const encode = async (image: SelectedImage, from: string) => {
      const kind = format === 'jpeg' ? 'jpeg' : 'png'
      const encodeOptions = { format: kind, isBilevel: image.bits === 1, isGrey: image.color === 'gray' } as const
      const to = out(`image-${extracted.size}-${imageKeyOf(image).replace(/\W/, '-')}`)
      extracted.set(imageKeyOf(image), { path: await sharp.encodeImage(from, { ...encodeOptions, to }), kind })
      progress(extracted.size, selected.length, 'pictures')
    }
    const objects = deduplicateObjects(selected)
    if (objects.length > 0) {
      const objectIds = objects.map(({ object }) => object!)
      const isolated = await libpdf.isolateImages(path, { objects: objectIds, to: out('sheet.pdf') })
      const { rawKinds } = isolated
      const isRaw = (index: number) => rawKinds[index] === format || (format === 'original' && rawKinds[index])
      const raw = [...objects.entries()].filter(([index]) => isRaw(index))
      const streams = raw.map(([index]) => ({
        object: objectIds[index]![0],
        generation: objectIds[index]![1],
        isRaw: true,
        to: out(`raw-${index}`),
      }))
      const files = streams.length > 0 ? await qpdf.extractStreams(isolated.path, streams) : []
      for (const [at, [index, image]] of raw.entries())
        extracted.set(imageKeyOf(image), { path: files[at]!, kind: rawKinds[index]! })
      const remaining = [...objects.entries()].filter(([index]) => !isRaw(index))
      const sizes = remaining.map(([index, { width, height }]) => ({ page: index + 1, width, height, dpi: 72 }))
      for (const batch of groupIntoBatches(sizes)) {
        const renderings = await pageRenderer.render(isolated.path, batch, { box: 'media', isTransparent: true })
        await Promise.all(batch.map(({ page }, at) => encode(objects[page - 1]!, renderings[at]!)))
        await pageRenderer.discard(renderings)
      }
    }
    for (const [page, images] of inline) {
      const files = await poppler.extractInlineImages(path, {
        page,
        drawIndexes: images.map(({ drawIndex }) => drawIndex),
      })
      await Promise.all(images.map((image, index) => encode(image, files[index]!)))
    }
    const parts = selected.map((image, index) => describePart(image, extracted.get(imageKeyOf(image))!, index))
    const warnings = collectReadWarnings(file)
    const result = await packageParts(parts, { zip, isZipped: input.zip, out, name: 'images.zip' })
    return { result, units: pages.length, warnings }
  },
})
