import { Type } from 'typebox'
import { Choice, define, exactlyOne, FileInput, FileOutput, Problem, type Warning, Warnings } from '#kit'
import { type Hashes, type HashOptions, hashFile, hashFiles, hashText } from './hash/algorithms.ts'
import { ALGORITHMS, type Algorithm, DIGEST_ENCODINGS, WEAK } from './hash/digest.ts'
import { CONTENT_PRICE, contentFields } from './schema.ts'

const HASHES = Type.Unsafe<Hashes>({
  type: 'object',
  description: 'Digests by algorithm.',
  properties: Object.fromEntries(ALGORITHMS.map(algorithm => [algorithm, { type: 'string' }])),
  additionalProperties: false,
})
const SIZE = Type.Integer({ minimum: 0 })

export default define({
  summary: 'Hash a text, or many texts and files at once.',
  keywords: 'checksum, digest, md5, sha1, sha256, sha512, crc32, blake3, fingerprint, integrity',
  isFeatured: true,
  description:
    'Digests of one text, one file or up to 100 files. With `manifest`, the files are also listed in the format of ' +
    'sha256sum and its relatives. `multihash` is written in base58.',
  price: CONTENT_PRICE,
  uses: [],
  instant: { maxBytes: 65_536 },
  input: Type.Object({
    ...contentFields('The content to hash'),
    files: Type.Optional(Type.Array(FileInput(), { minItems: 1, maxItems: 100 })),
    names: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 1024, pattern: '^[^\\u0000]+$' }), {
        maxItems: 100,
        description: 'Names of the files in the manifest, one per file.',
      }),
    ),
    algorithms: Type.Array(Choice(ALGORITHMS), { default: ['sha256'], minItems: 1, maxItems: 9, uniqueItems: true }),
    encoding: Choice(DIGEST_ENCODINGS, { default: 'hex' }),
    expect: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: 'A digest to compare with, in hex or in `encoding`.' }),
    ),
    manifest: Type.Boolean({
      default: false,
      description: 'List `files` in a checksum file; needs one algorithm and hex.',
    }),
  }),
  output: Type.Object({
    hashes: Type.Optional(HASHES),
    sizeBytes: Type.Optional(SIZE),
    matches: Type.Optional(Type.Boolean({ description: 'Whether one of the digests equals the expected one.' })),
    files: Type.Optional(
      Type.Array(Type.Object({ index: SIZE, name: Type.Optional(Type.String()), hashes: HASHES, sizeBytes: SIZE })),
    ),
    output: Type.Optional(FileOutput('text/plain')),
    warnings: Warnings,
  }),
  errors: ['CONFLICTING_OPTIONS'],
  examples: [
    {
      title: 'The SHA-256 of a text',
      input: { text: 'abc' },
      answer: { hashes: { sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' }, sizeBytes: 3 },
    },
    {
      title: 'Check a download against its published MD5',
      input: { file: { text: 'abc' }, algorithms: ['md5'], expect: '900150983CD24FB0D6963F7D28E17F72' },
      answer: { matches: true },
    },
    {
      title: 'A checksum file for two files',
      input: { files: [{ text: 'one' }, { text: 'two' }], names: ['one.txt', 'two.txt'], manifest: true },
      answer: {
        files: [
          { index: 0, name: 'one.txt' },
          { index: 1, name: 'two.txt' },
        ],
      },
    },
  ],

  run(input) {
    const given = exactlyOne(input, ['text', 'file', 'files'])
    checkOptions(input, given)
    const warnings = listWarnings(input.algorithms)
    if (input.text !== undefined) return { result: hashText(input.text, input), warnings }
    const hashing = input.file ? hashFile(input.file, input) : hashFiles(input.files!, input)
    return hashing.then(result => ({ result, warnings }))
  },
})

interface Given {
  files?: unknown[]
}

function checkOptions(
  { algorithms, encoding, expect, files, manifest, names }: HashOptions & Given,
  given: string,
): void {
  const isPlain = algorithms.length === 1 && encoding === 'hex'
  if (manifest && !isPlain) throw new Problem('CONFLICTING_OPTIONS', { fields: ['manifest', 'algorithms', 'encoding'] })
  if (manifest && !files) throw new Problem('CONFLICTING_OPTIONS', { fields: ['manifest', given] })
  if (expect !== undefined && files) throw new Problem('CONFLICTING_OPTIONS', { fields: ['expect', 'files'] })
  if (names && !files) throw new Problem('CONFLICTING_OPTIONS', { fields: ['names', given] })
  if (names && names.length !== files?.length) {
    throw new Problem('INVALID_PARAM', { field: 'names', min: files?.length, max: files?.length })
  }
}

function listWarnings(algorithms: readonly Algorithm[]): Warning[] | undefined {
  const weak = algorithms.filter(algorithm => WEAK.includes(algorithm))
  if (weak.length === 0) return undefined
  return weak.map(algorithm => ({
    code: 'WEAK_ALGORITHM',
    message: `${algorithm} is broken: different files with the same digest can be created.`,
  }))
}
