import { Type } from 'typebox'
import { Choice, collectFiles, define, FileInput, FileOutput, type Price, Problem, Secret, usd, Warnings } from '#kit'
import { assignNames, isCompressed } from '../formats/archive/names.ts'
import { parseTimestamp } from './zip/timestamp.ts'

const MEBIBYTE = 2 ** 20
const MAX_FILES = 100
const MAX_BYTES = 500 * MEBIBYTE
const STEP = 20 * MEBIBYTE

const PRICE: Price<unknown> = {
  unit: 'started 20 MiB',
  rateMicros: usd('0.001'),
  baseMicros: usd('0.001'),
  basis: 'body',
  minUnits: 1,
  maxUnits: Math.ceil(MAX_BYTES / STEP),
  units: input => Math.max(1, Math.ceil(sumSizes(input) / STEP)),
}

export default define({
  summary: 'Pack files into a zip archive.',
  keywords:
    'compress files, bundle, package, pack together, password protected archive, files into a single download, tar, tar.gz, tgz',
  isFeatured: true,
  description:
    'It makes zip alone; no call makes tar. Entries are in the order of the files. With a password they are encrypted with AES-256. The same files give the ' +
    'same archive, byte for byte, unless timestamps or a password are set.',
  price: PRICE as Price<never>,
  uses: ['zip'],
  input: Type.Object({
    files: Type.Array(FileInput({ named: true, allowEmpty: true }), {
      minItems: 1,
      maxItems: 1000,
      description: 'At most 100 files, each with an optional name, which may contain folders.',
    }),
    level: Type.Integer({ default: 6, minimum: 0, maximum: 9 }),
    password: Type.Optional(
      Secret({
        minLength: 1,
        maxLength: 127,
        description: 'By AES-256, which 7-Zip and WinZip open, and unzip does not.',
      }),
    ),
    comment: Type.Optional(Type.String({ maxLength: 16_000 })),
    timestamps: Type.Union(
      [Choice(['now', 'zero']), Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d)?Z?)?$' })],
      { default: 'zero', description: 'now, zero, or a date from 1980 to 2107, such as 2026-01-31.' },
    ),
    flatten: Type.Boolean({ default: false, description: 'Remove folders from the names.' }),
    dedupe: Type.Boolean({
      default: false,
      description: 'Rename a second a.txt to "a (2).txt" instead of rejecting it.',
    }),
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
    if (files.length > MAX_FILES) throw new Problem('TOO_MANY_INPUTS', { limit: MAX_FILES, actual: files.length })
    const actual = sumSizes(files)
    if (actual > MAX_BYTES) throw new Problem('INPUT_TOO_LARGE', { limitBytes: MAX_BYTES, sizeBytes: actual })
    const names = assignNames(files, { flatten, dedupe })
    const members = files.map(({ path, type }, index) => ({ path, name: names[index]!, isStored: isCompressed(type) }))
    const to = out('packed.zip')
    const packed = await zip.write(members, {
      to,
      level,
      password,
      comment,
      modifiedMs: parseTimestamp(timestamps, now()),
    })
    return { result: { output: { path: to, contentType: 'application/zip', name: 'archive.zip' }, ...packed } }
  },
})

function sumSizes(input: unknown): number {
  return collectFiles(input).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}
