import { Type } from 'typebox'
import { Choice, define, FileInput, FileOutput, Problem, perCall } from '#kit'
import { strip } from './strip-shape.ts'

const ENDINGS = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/tiff': 'tif',
  'image/heic': 'heic',
  'image/heif': 'heif',
  'image/avif': 'avif',
} as const
const TYPES = Object.keys(ENDINGS) as (keyof typeof ENDINGS)[]

export default define({
  summary: 'Remove private data from a picture without touching its pixels.',
  description:
    'EXIF with place and camera, XMP, IPTC, comments, thumbnails, further pictures and whatever follows the end. ' +
    'The coded pixels stay byte for byte; nothing is encoded again.',
  price: perCall('0.001'),
  uses: [],
  input: Type.Object({
    file: FileInput({ accept: TYPES }),
    keep: Type.Array(Choice(['orientation', 'icc', 'copyright', 'dpi']), {
      default: ['orientation', 'icc'],
      maxItems: 4,
      uniqueItems: true,
      description: 'What stays: how it is turned, its colours, author and rights, its size on paper.',
    }),
    only: Type.Optional(
      Choice(['gps'], {
        description: 'Only the place goes, in EXIF and XMP; everything else stays, whatever `keep` says.',
      }),
    ),
  }),
  output: Type.Object({
    output: FileOutput(TYPES),
    removed: Type.Array(Type.String()),
    hadGps: Type.Boolean(),
  }),
  errors: ['UNSUPPORTED_FORMAT', 'IMAGE_DECODE_FAILED', 'TOO_MANY_PIXELS'],
  examples: [
    { title: 'All that is private', input: { file: 'sample:gradient.png' }, answer: { hadGps: false } },
    { title: 'The profile too', input: { file: 'sample:gradient.png', keep: ['orientation'] } },
    { title: 'Only the place', input: { file: 'sample:gradient.png', only: 'gps' }, answer: { removed: [] } },
  ],

  async run({ file, keep, only }) {
    const ending = ENDINGS[file.type as keyof typeof ENDINGS]
    if (!ending) throw new Problem('UNSUPPORTED_FORMAT', { detected: file.type, supported: TYPES })
    const { bytes, removed, hadGps } = strip(await file.bytes(), file.type, keep, only === 'gps')
    const message = 'The signed record of where the picture comes from is gone.'
    const warnings = removed.includes('c2pa') ? [{ code: 'PROVENANCE_REMOVED', message }] : []
    return {
      result: { output: { bytes, contentType: file.type, name: `stripped.${ending}` }, removed, hadGps },
      warnings,
    }
  },
})
