import { Type } from 'typebox'
import { Choice, define, FileInput, FileOutput, Problem, perCall } from '#kit'
import { stripImageMetadata } from '../formats/image-metadata/strip.ts'

const EXTENSIONS = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/tiff': 'tif',
  'image/heic': 'heic',
  'image/heif': 'heif',
  'image/avif': 'avif',
} as const
const INPUT_TYPES = Object.keys(EXTENSIONS) as (keyof typeof EXTENSIONS)[]

export default define({
  summary: 'Remove private metadata from an image without changing its pixels.',
  keywords: 'remove exif, delete metadata, gps, location, privacy, anonymise, clean photo',
  description:
    'Removes EXIF with location and camera, XMP, IPTC, comments, thumbnails, embedded images and trailing data. The ' +
    'encoded pixels stay byte for byte; nothing is encoded again.',
  price: perCall('0.001'),
  uses: [],
  input: Type.Object({
    file: FileInput({ accept: INPUT_TYPES }),
    keep: Type.Array(Choice(['orientation', 'icc', 'copyright', 'dpi']), {
      default: ['orientation', 'icc'],
      maxItems: 4,
      uniqueItems: true,
      description: 'What to keep: orientation, colour profile, author and rights, print resolution.',
    }),
    only: Type.Optional(
      Choice(['gps'], {
        description: 'Remove only the location from EXIF and XMP and keep everything else, regardless of `keep`.',
      }),
    ),
  }),
  output: Type.Object({
    output: FileOutput(INPUT_TYPES),
    removed: Type.Array(Type.String()),
    hadGps: Type.Boolean(),
  }),
  errors: ['UNSUPPORTED_FORMAT', 'IMAGE_DECODE_FAILED', 'TOO_MANY_PIXELS'],
  examples: [
    { title: 'Remove everything private', input: { file: 'sample:gradient.png' }, answer: { hadGps: false } },
    { title: 'Remove the colour profile too', input: { file: 'sample:gradient.png', keep: ['orientation'] } },
    { title: 'Remove only the location', input: { file: 'sample:gradient.png', only: 'gps' }, answer: { removed: [] } },
  ],

  async run({ file, keep, only }) {
    const extension = EXTENSIONS[file.type as keyof typeof EXTENSIONS]
    if (!extension) throw new Problem('UNSUPPORTED_FORMAT', { detected: file.type, supported: INPUT_TYPES })
    const { bytes, removed, hadGps } = stripImageMetadata(await file.bytes(), file.type, keep, only === 'gps')
    const message = 'The signed provenance record (C2PA) was removed.'
    const warnings = removed.includes('c2pa') ? [{ code: 'PROVENANCE_REMOVED', message }] : []
    return {
      result: { output: { bytes, contentType: file.type, name: `stripped.${extension}` }, removed, hadGps },
      warnings,
    }
  },
})
