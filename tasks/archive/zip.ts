import { Type } from 'typebox'
import { Choice, define, FileInput, FileOutput, filesIn, type Price, Problem, Secret, usd, Warnings } from '#kit'
import { isCompressed, namesFor } from './names-shape.ts'

const MEBIBYTE = 2 ** 20
const MOST_FILES = 100
const MOST_BYTES = 500 * MEBIBYTE
const STEP = 20 * MEBIBYTE

const PRICE: Price<unknown> = {
  unit: 'started 20 MiB',
  rateMicros: usd('0.001'),
  baseMicros: usd('0.001'),
  basis: 'body',
  units: input => Math.max(1, Math.ceil(sizeOf(input) / STEP)),
}

export default define({
  summary: 'Pack files into a zip archive.',
  description:
    'The entries stand in the order of the files. With a password they are sealed by AES-256. The same files make the ' +
    'same archive, byte for byte, unless timestamps or a password say otherwise.',
  price: PRICE as Price<never>,
  uses: ['zip'],
  input: Type.Object({
    files: Type.Array(FileInput({ named: true, allowEmpty: true }), {
      minItems: 1,
      maxItems: 1000,
      description: 'At most 100, each with a name if you like; it may have folders.',
    }),
    level: Type.Integer({ default: 6, minimum: 0, maximum: 9 }),
    password: Type.Optional(Secret({ minLength: 1, maxLength: 127 })),
    comment: Type.Optional(Type.String({ maxLength: 16_000 })),
    timestamps: Type.Union(
      [Choice(['now', 'zero']), Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d)?Z?)?$' })],
      { default: 'zero', description: 'now, zero, or a date such as 2026-01-31.' },
    ),
    flatten: Type.Boolean({ default: false, description: 'Leave the folders out of the names.' }),
    dedupe: Type.Boolean({ default: false, description: 'Call a second a.txt "a (2).txt" instead of refusing it.' }),
  }),
  output: Type.Object({
    output: FileOutput('application/zip'),
    entries: Type.Array(
      Type.Object({
        name: Type.String(),
        sizeBytes: Type.Integer(),
        compressedBytes: Type.Integer(),
        crc32: Type.String(),
      }),
    ),
    totalBytes: Type.Integer(),
    warnings: Warnings,
  }),
  errors: [
    'TOO_MANY_INPUTS',
    'DUPLICATE_NAME',
    'INVALID_NAME',
    'INPUT_TOO_LARGE',
    'INVALID_PARAM',
    'TIME_LIMIT_EXCEEDED',
  ],
  examples: [
    {
      title: 'Two files, one in a folder',
      input: {
        files: [
          { text: 'hello', name: 'a.txt' },
          { text: 'hello hello hello', name: 'notes/b.txt' },
        ],
      },
      answer: {
        entries: [
          { name: 'a.txt', sizeBytes: 5, crc32: '3610a686' },
          { name: 'notes/b.txt', sizeBytes: 17 },
        ],
      },
    },
  ],

  async run({ files, level, password, comment, timestamps, flatten, dedupe }, { zip, out, now }) {
    if (files.length > MOST_FILES) throw new Problem('TOO_MANY_INPUTS', { limit: MOST_FILES, actual: files.length })
    const actual = sizeOf(files)
    if (actual > MOST_BYTES) throw new Problem('INPUT_TOO_LARGE', { limitBytes: MOST_BYTES, sizeBytes: actual })
    const names = namesFor(files, { flatten, dedupe })
    const members = files.map(({ path, type }, index) => ({ path, name: names[index]!, isStored: isCompressed(type) }))
    const to = out('packed.zip')
    const packed = await zip.write(members, { to, level, password, comment, time: timeOf(timestamps, now()) })
    return { result: { output: { path: to, contentType: 'application/zip', name: 'archive.zip' }, ...packed } }
  },
})

function sizeOf(input: unknown): number {
  return filesIn(input).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}

function timeOf(timestamps: string, now: Date): number | undefined {
  if (timestamps === 'zero') return undefined
  if (timestamps === 'now') return now.getTime()
  const text = timestamps.includes('T') && !timestamps.endsWith('Z') ? `${timestamps}Z` : timestamps
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new Problem('INVALID_PARAM', { field: 'timestamps' })
  return time
}
