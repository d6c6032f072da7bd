import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { Choice, define, FileInput, type InputFile, perCall } from '#kit'
import { readTags, summarizeTags } from '../formats/image-metadata/exif.ts'
import { findForeignExif } from '../formats/image-metadata/foreign-exif.ts'
import { READABLE_IMAGE_TYPES } from '../formats/raster/readable.ts'
import { readProfileName } from './metadata/icc-profile.ts'
import { parseIptcFields } from './metadata/iptc.ts'
import { READ_ERRORS } from './schema.ts'

const SECTIONS = ['exif', 'iptc', 'xmp', 'icc', 'stats', 'hashes'] as const

const Optional = { number: Type.Optional(Type.Number()), text: Type.Optional(Type.String()) }

const Exif = Type.Object({
  camera: Optional.text,
  lens: Optional.text,
  exposure: Type.Optional(
    Type.Object({
      seconds: Optional.number,
      fNumber: Optional.number,
      iso: Optional.number,
      focalLengthMm: Optional.number,
    }),
  ),
  takenAt: Type.Optional(Type.String({ description: 'ISO 8601, with a time zone where the camera recorded one.' })),
  gps: Type.Optional(Type.Object({ lat: Type.Number(), lon: Type.Number(), alt: Optional.number })),
})

export default define({
  summary: 'Read the properties of an image: size, format, colour, frames, tags and a perceptual hash.',
  keywords:
    'how many pixels wide and high, exif, dimensions, width, height, resolution, dpi, camera, date taken, read gps from a photo, where a photo was taken, info, size, how many pixels, width and height, perceptual hash',
  description:
    'Reads only the header, except for `stats` and `hashes`; works for images of any size. Two pictures are alike where few bits of `hashes.perceptual` differ.',
  price: perCall('0.001'),
  uses: ['sharp'],
  input: Type.Object({
    file: FileInput({ accept: READABLE_IMAGE_TYPES }),
    include: Type.Array(Choice(SECTIONS), { default: ['exif'], maxItems: 6, uniqueItems: true }),
  }),
  output: Type.Object({
    format: Type.String(),
    mime: Type.String(),
    width: Type.Integer({ description: 'As stored, before the orientation is applied.' }),
    height: Type.Integer(),
    displayWidth: Type.Integer({ description: 'As displayed, after the orientation is applied.' }),
    displayHeight: Type.Integer(),
    orientation: Type.Integer({ minimum: 1, maximum: 8 }),
    pages: Type.Integer(),
    animated: Type.Boolean(),
    delaysMs: Type.Optional(Type.Array(Type.Integer())),
    loop: Type.Optional(Type.Integer({ description: '0 loops forever.' })),
    hasAlpha: Type.Boolean(),
    bitDepth: Type.Integer(),
    colorSpace: Type.String(),
    dpi: Optional.number,
    chroma: Optional.text,
    progressive: Type.Boolean(),
    sizeBytes: Type.Integer(),
    iccName: Optional.text,
    exif: Type.Optional(Exif),
    raw: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Every EXIF tag that could be read.' }),
    ),
    iptc: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
    xmp: Optional.text,
    stats: Type.Optional(
      Type.Object({
        entropy: Type.Number(),
        sharpness: Type.Number(),
        mean: Type.Array(Type.Number()),
        isOpaque: Type.Boolean(),
      }),
    ),
    hashes: Type.Optional(Type.Object({ sha256: Type.String(), perceptual: Type.String(), blurhash: Type.String() })),
  }),
  errors: READ_ERRORS,
  examples: [
    {
      title: 'Properties of a small image',
      input: { file: 'sample:gradient.png' },
      answer: { format: 'png', displayWidth: 160, displayHeight: 120, hasAlpha: false, animated: false },
    },
    { title: 'With hashes and statistics', input: { file: 'sample:gradient.png', include: ['hashes', 'stats'] } },
  ],

  async run({ file, include }, { sharp }) {
    const isRequested = (section: (typeof SECTIONS)[number]) => include.includes(section)
    const description = await sharp.describe(file.path, { stats: isRequested('stats'), hashes: isRequested('hashes') })
    const { exif, iptc, icc, xmp, frames, hashes, ...facts } = description
    const block = isRequested('exif') ? (exif ?? findForeignExif(await file.bytes(), file.type)) : undefined
    const tags = block && readTags(block)
    const result = {
      ...facts,
      animated: frames > 1,
      sizeBytes: file.sizeBytes,
      hashes: hashes && { sha256: await hashFile(file), ...hashes },
      iccName: icc && isRequested('icc') ? readProfileName(icc) : undefined,
      exif: tags && summarizeTags(tags),
      raw: tags,
      iptc: iptc && isRequested('iptc') ? parseIptcFields(iptc) : undefined,
      xmp: isRequested('xmp') ? xmp : undefined,
    }
    return { result: omitUndefined(result) }
  },
})

/** Drops fields without a value, so that the answer does not list them. */
function omitUndefined<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value
}

async function hashFile(file: InputFile): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of file.chunks()) hash.update(chunk)
  return hash.digest('hex')
}
