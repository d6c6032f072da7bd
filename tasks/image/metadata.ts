import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { Choice, define, FileInput, type InputFile, perCall } from '#kit'
import { summaryOf, tagsIn } from './exif-shape.ts'
import { READ_ERRORS, READABLE_TYPES } from './shape.ts'
import { pressFields, profileName } from './tags-shape.ts'

const INCLUDES = ['exif', 'iptc', 'xmp', 'icc', 'stats', 'hashes'] as const

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
  takenAt: Type.Optional(Type.String({ description: 'ISO 8601, with a zone where the camera told one.' })),
  gps: Type.Optional(Type.Object({ lat: Type.Number(), lon: Type.Number(), alt: Optional.number })),
})

export default define({
  summary: 'Tell what a picture is: size, format, colour, frames and tags.',
  description: 'Reads the header alone, except for `stats` and `hashes`; pictures of any size may be asked about.',
  price: perCall('0.001'),
  uses: ['sharp'],
  input: Type.Object({
    file: FileInput({ accept: READABLE_TYPES }),
    include: Type.Array(Choice(INCLUDES), { default: ['exif'], maxItems: 6, uniqueItems: true }),
  }),
  output: Type.Object({
    format: Type.String(),
    mime: Type.String(),
    width: Type.Integer({ description: 'As stored, before any turning.' }),
    height: Type.Integer(),
    displayWidth: Type.Integer({ description: 'As shown, after the orientation tag.' }),
    displayHeight: Type.Integer(),
    orientation: Type.Integer({ minimum: 1, maximum: 8 }),
    pages: Type.Integer(),
    animated: Type.Boolean(),
    delaysMs: Type.Optional(Type.Array(Type.Integer())),
    loop: Type.Optional(Type.Integer({ description: '0 is without end.' })),
    hasAlpha: Type.Boolean(),
    bitDepth: Type.Integer(),
    colorSpace: Type.String(),
    dpi: Optional.number,
    chroma: Optional.text,
    progressive: Type.Boolean(),
    sizeBytes: Type.Integer(),
    iccName: Optional.text,
    exif: Type.Optional(Exif),
    raw: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Every EXIF tag that can be read.' })),
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
      title: 'Facts of a small picture',
      input: { file: 'sample:gradient.png' },
      answer: { format: 'png', displayWidth: 160, displayHeight: 120, hasAlpha: false, animated: false },
    },
    { title: 'With hashes and figures', input: { file: 'sample:gradient.png', include: ['hashes', 'stats'] } },
  ],

  async run({ file, include }, { sharp }) {
    const wants = (word: (typeof INCLUDES)[number]) => include.includes(word)
    const found = await sharp.describe(file.path, { stats: wants('stats'), hashes: wants('hashes') })
    const { exif, iptc, icc, xmp, frames, hashes, ...facts } = found
    const tags = exif && wants('exif') ? tagsIn(exif) : undefined
    const result = {
      ...facts,
      animated: frames > 1,
      sizeBytes: file.sizeBytes,
      hashes: hashes && { sha256: await digest(file), ...hashes },
      iccName: icc && wants('icc') ? profileName(icc) : undefined,
      exif: tags && summaryOf(tags),
      raw: tags,
      iptc: iptc && wants('iptc') ? pressFields(iptc) : undefined,
      xmp: wants('xmp') ? xmp : undefined,
    }
    return { result: withoutNothing(result) }
  },
})

/** Fields without a value are left out of the answer. */
function withoutNothing<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value
}

async function digest(file: InputFile): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of file.chunks()) hash.update(chunk)
  return hash.digest('hex')
}
