import { Type } from 'typebox'
import { Choice, define, FileInput, FileOutput, Problem, perCall } from '#kit'
import { strip } from './strip-shape.ts'

const TYPES = ['image/jpeg', 'image/png', 'image/webp'] as const
const ENDINGS: Record<string, string> = { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/webp': 'webp' }

export default define({
  summary: 'Remove private data from a picture without touching its pixels.',
  description:
    'EXIF with place and camera, XMP, IPTC, comments, thumbnails, further pictures and whatever follows the end. ' +
    'The coded pixels stay byte for byte; nothing is encoded again.',
  price: perCall('0.001'),
  uses: [],
  input: Type.Object({
    file: FileInput({ accept: TYPES }),
    keep: Type.Array(Choice(['orientation', 'icc', 'copyright']), {
      default: ['orientation', 'icc'],
      maxItems: 3,
      uniqueItems: true,
    }),
  }),
  output: Type.Object({
    output: FileOutput(TYPES),
    removed: Type.Array(Type.String()),
    hadGps: Type.Boolean(),
  }),
  errors: ['UNSUPPORTED_FORMAT', 'IMAGE_DECODE_FAILED'],
  examples: [
    { title: 'All that is private', input: { file: 'sample:gradient.png' }, answer: { hadGps: false } },
    { title: 'The profile too', input: { file: 'sample:gradient.png', keep: ['orientation'] } },
  ],

  async run({ file, keep }) {
    const ending = ENDINGS[file.type]
    if (!ending) throw new Problem('UNSUPPORTED_FORMAT', { detected: file.type, supported: TYPES })
    const { bytes, removed, hadGps } = strip(await file.bytes(), file.type, keep)
    const message = 'The signed record of where the picture comes from is gone.'
    const warnings = removed.includes('c2pa') ? [{ code: 'PROVENANCE_REMOVED', message }] : []
    return {
      result: { output: { bytes, contentType: file.type, name: `stripped.${ending}` }, removed, hadGps },
      warnings,
    }
  },
})
