import { Type } from 'typebox'
import { Choice, define, FileManifest, FileOutput, PageRanges, perPage } from '#kit'
import { batchesOf } from './drawing-shape.ts'
import { opened } from './open-shape.ts'
import { checkParts, parcelOf, ZIP, zip } from './parcel-shape.ts'
import {
  type ImagesInput,
  inlineByPage,
  KINDS,
  keyOf,
  objectsOf,
  pagesToSearch,
  partOf,
  type Wanted,
  wantedOf,
} from './pictures-shape.ts'
import { PDF_ERRORS, PdfInput, password, warningsOf } from './shape.ts'

const FACTS = {
  page: Type.Integer({ minimum: 1, description: 'Where it is drawn first.' }),
  occurrences: Type.Integer({ minimum: 1 }),
  width: Type.Integer({ minimum: 1 }),
  height: Type.Integer({ minimum: 1 }),
  dpi: Type.Integer({ minimum: 0, description: 'Pixels an inch, as it is drawn first.' }),
  colorSpace: Type.String({ description: 'gray, rgb, cmyk, icc, lab, indexed, separation, device-n or mask.' }),
}
const TYPES = Object.values(KINDS).map(({ contentType }) => contentType)

export default define({
  summary: 'Take the pictures out of a PDF.',
  description:
    'JPEG and JPEG 2000 come out as they are where they show by themselves what the page shows; all else, and what is ' +
    'partly transparent, becomes PNG. Strips of a scan stay strips.',
  price: perPage('0.001', (input: ImagesInput) => pagesToSearch(input).length),
  uses: ['qpdf', 'libpdf', 'poppler', 'pagePicture', 'sharp', 'zip'],
  input: Type.Object({
    file: PdfInput(),
    pages: PageRanges({ default: 'all' }),
    format: Choice(['original', 'png', 'jpeg'], { default: 'original' }),
    minSide: Type.Integer({ default: 16, minimum: 1, maximum: 10_000, description: 'Smaller pictures are left out.' }),
    dedupe: Type.Boolean({ default: true, description: 'A picture that is drawn often comes once.' }),
    zip,
    password,
  }),
  output: Type.Object({
    files: Type.Optional(FileManifest(TYPES, FACTS)),
    output: Type.Optional(FileOutput(ZIP)),
    parts: Type.Optional(Type.Array(Type.Object({ ...FACTS, name: Type.String(), contentType: Type.String() }))),
  }),
  errors: [...PDF_ERRORS, 'BAD_RANGE', 'OUTPUT_TOO_LARGE', 'TOO_MANY_OUTPUTS', 'TOO_MANY_PIXELS'],
  examples: [
    {
      title: 'The pictures of a leaflet',
      input: { file: 'sample:leaflet.pdf' },
      answer: {
        files: [
          { page: 1, occurrences: 2, width: 60, height: 40, contentType: 'image/jpeg', colorSpace: 'rgb' },
          { page: 1, contentType: 'image/png', colorSpace: 'rgb' },
        ],
      },
    },
  ],

  async run(input, { qpdf, libpdf, poppler, pagePicture, sharp, zip, out, progress }) {
    const { file, format } = input
    const path = await opened(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const pages = pagesToSearch(input)
    const drawn = await poppler.pictures(path, { first: Math.min(...pages), last: Math.max(...pages) })
    const wanted = wantedOf(drawn, input)
    checkParts(wanted.length, input.zip)
    const inline = inlineByPage(wanted, drawn)
    const made = new Map<string, { path: string; kind: keyof typeof KINDS }>()
    const encode = async (each: Wanted, from: string) => {
      const kind = format === 'jpeg' ? 'jpeg' : 'png'
      const how = { format: kind, isBilevel: each.bits === 1, isGrey: each.color === 'gray' } as const
      const to = out(`picture-${made.size}-${keyOf(each).replace(/\W/, '-')}`)
      made.set(keyOf(each), { path: await sharp.encodePicture(from, { ...how, to }), kind })
      progress(made.size, wanted.length, 'pictures')
    }
    const objects = objectsOf(wanted)
    if (objects.length > 0) {
      const ids = objects.map(({ object }) => object!)
      const sheet = await libpdf.pictureSheet(path, { objects: ids, to: out('sheet.pdf') })
      const isRaw = (index: number) => sheet.raw[index] === format || (format === 'original' && sheet.raw[index])
      const raw = [...objects.entries()].filter(([index]) => isRaw(index))
      const streams = raw.map(([index]) => ({
        object: ids[index]![0],
        generation: ids[index]![1],
        isRaw: true,
        to: out(`raw-${index}`),
      }))
      const files = streams.length > 0 ? await qpdf.unpack(sheet.path, streams) : []
      for (const [at, [index, each]] of raw.entries())
        made.set(keyOf(each), { path: files[at]!, kind: sheet.raw[index]! })
      const rest = [...objects.entries()].filter(([index]) => !isRaw(index))
      const sizes = rest.map(([index, { width, height }]) => ({ page: index + 1, width, height, dpi: 72 }))
      for (const batch of batchesOf(sizes)) {
        const drawings = await pagePicture.draw(sheet.path, batch, { box: 'media', isTransparent: true })
        await Promise.all(batch.map(({ page }, at) => encode(objects[page - 1]!, drawings[at]!)))
        await pagePicture.forget(drawings)
      }
    }
    for (const [page, pictures] of inline) {
      const files = await poppler.inlinePictures(path, { page, places: pictures.map(({ place }) => place) })
      await Promise.all(pictures.map((each, index) => encode(each, files[index]!)))
    }
    const parts = wanted.map((each, index) => partOf(each, made.get(keyOf(each))!, index))
    const warnings = warningsOf([file]).filter(({ code }) => code !== 'ENCRYPTION_REMOVED')
    const result = await parcelOf(parts, { zip, isZipped: input.zip, out, name: 'images.zip' })
    return { result, units: pages.length, warnings }
  },
})
