import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decode, ENCODINGS, type Encoding, encode, VARIANTS } from '../../../tasks/formats/encodings/codecs.ts'
import { createBytes } from '../../support/data/bytes.ts'
import { hasProgram, PYTHON, runProgram } from '../../support/machine/programs.ts'
import { computePrice, runOperation } from '../../support/operations/run.ts'

const run = (body: Record<string, unknown>) => runOperation('utils.base64', body)
const encoded = async (text: string, options = {}) => (await run({ action: 'encode', text, ...options })).text
const decoded = async (text: string, options = {}) => (await run({ action: 'decode', text, ...options })).text

/** From RFC 4648 section 10, the draft on base58 and the manual of the btoa program. */
const VECTORS: [encoding: Encoding, text: string, expected: string][] = [
  ['base64', '', ''],
  ['base64', 'f', 'Zg=='],
  ['base64', 'fo', 'Zm8='],
  ['base64', 'foo', 'Zm9v'],
  ['base64', 'foobar', 'Zm9vYmFy'],
  ['base32', '', ''],
  ['base32', 'f', 'MY======'],
  ['base32', 'fo', 'MZXQ===='],
  ['base32', 'foo', 'MZXW6==='],
  ['base32', 'foob', 'MZXW6YQ='],
  ['base32', 'foobar', 'MZXW6YTBOI======'],
  ['hex', 'foobar', '666f6f626172'],
  ['base58', '', ''],
  ['base58', 'Hello World!', '2NEpo7TZRRrLZSi2U'],
  [
    'base58',
    'The quick brown fox jumps over the lazy dog.',
    'USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z',
  ],
  ['base85', 'Man ', '9jqo^'],
  ['base85', 'Man is distinguished', '9jqo^BlbD-BleB1DJ+*+F(f,q'],
]

test.each(VECTORS)('writes and reads in %s the text %j', async (encoding, text, expected) => {
  expect(await encoded(text, { encoding })).toBe(expected)
  expect(await decoded(expected, { encoding })).toBe(text)
})

test('keeps the leading zeros of base58 and shortens four zeros in base85', () => {
  const options = { variant: 'standard', padding: true } as const
  expect(encode(Buffer.from('0000287fb4cd', 'hex'), { ...options, encoding: 'base58' })).toBe('11233QC4')
  expect(encode(Buffer.alloc(3), { ...options, encoding: 'base58' })).toBe('111')
  expect(encode(Buffer.alloc(9), { ...options, encoding: 'base85' })).toBe('zz!!')
})

const anyOptions = fc.record({
  encoding: fc.constantFrom(...ENCODINGS),
  variant: fc.constantFrom(...VARIANTS),
  padding: fc.boolean(),
})

test('decodes what it encoded, strictly and leniently', () => {
  const anyBytes = fc.uint8Array({ maxLength: 300 })
  fc.assert(
    fc.property(anyBytes, anyOptions, (bytes, options) => {
      const text = Buffer.from(encode(bytes, options))
      expect(decode(text, { ...options, lenient: false })).toEqual(Buffer.from(bytes))
      expect(decode(text, { ...options, lenient: true })).toEqual(Buffer.from(bytes))
    }),
    { numRuns: 500 },
  )
})

test('strictly decodes only what it would have encoded itself', () => {
  const symbols = fc.string({ unit: fc.constantFrom(...'AZaz09+/-_=zx!2 \n'), maxLength: 24 })
  fc.assert(
    fc.property(symbols, anyOptions, (text, options) => {
      const bytes = attempt(() => decode(Buffer.from(text), { ...options, lenient: false }))
      if (!bytes || options.variant === 'mime' || options.encoding === 'base85') return
      const again = encode(bytes, options)
      expect(options.encoding === 'hex' ? again.toLowerCase() : again).toBe(
        options.encoding === 'hex' ? text.toLowerCase() : text,
      )
    }),
    { numRuns: 2000, examples: [['AB==', { encoding: 'base64', variant: 'standard', padding: true }]] },
  )
})

function attempt<Result>(make: () => Result): Result | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

describe('agrees with the programs of the system', () => {
  const bytes = createBytes(4 * 2 ** 20 - 1, 5)

  test.each([
    ['base64', {}, ['--wrap=0', '--base64']],
    ['base64', { variant: 'url' }, ['--wrap=0', '--base64url']],
    ['base32', { encoding: 'base32' }, ['--wrap=0', '--base32']],
    ['hex', { encoding: 'hex' }, ['--wrap=0', '--base16']],
  ])('on 4 MiB as %s %j', async (_, options, flags) => {
    const { output } = await run({ action: 'encode', file: { inline: bytes.toString('base64') }, ...options })
    const written = Buffer.from(output!.bytes!).toString()
    const expected = runProgram('basenc', flags, bytes)
    expect(written === (flags.includes('--base16') ? expected.toLowerCase() : expected)).toBe(true)
    const back = await run({ action: 'decode', file: { text: written }, ...options })
    expect(bytes.equals(back.output!.bytes!)).toBe(true)
  })

  test.skipIf(!hasProgram(PYTHON))('on base85 as Python reads it', () => {
    const text = encode(bytes, { encoding: 'base85', variant: 'standard', padding: true })
    const reader =
      'import sys,base64,hashlib; print(hashlib.sha1(base64.a85decode(sys.stdin.buffer.read())).hexdigest())'
    expect(runProgram(PYTHON, ['-c', reader], text)).toBe(runProgram('sha1sum', [], bytes).replace(/ .*/, ''))
  })
})

test.each([
  [{ variant: 'url' }, '????>>>>', 'Pz8_Pz4-Pj4='],
  [{ variant: 'url', padding: false }, '????>>>>', 'Pz8_Pz4-Pj4'],
  [{ padding: false }, 'f', 'Zg'],
  [{ encoding: 'base32', padding: false }, 'f', 'MY'],
  [{ charset: 'utf-16le' }, 'é', '6QA='],
  [{ charset: 'utf-16be' }, 'é', 'AOk='],
  [{ charset: 'latin1' }, 'é', '6Q=='],
  [{}, 'é🐢', 'w6nwn5Ci'],
])('writes and reads with %j', async (options, text, expected) => {
  expect(await encoded(text, options)).toBe(expected)
  expect(await decoded(expected, options)).toBe(text)
})

test('breaks MIME lines at 76 characters', async () => {
  const lines = (await encoded('x'.repeat(100), { variant: 'mime' }))!.split('\r\n')
  expect(lines.map(line => line.length)).toEqual([76, 60])
})

test.each([
  ['Zm9v Yg==', {}, 4],
  ['Zm9vYg', {}, 6],
  ['Zm9vYg=', {}, 7],
  ['Zm9vYh==', {}, 5],
  ['Zm9v====', {}, 8],
  ['Zg==Zg==', {}, 4],
  ['Zm-v', {}, 2],
  ['Zm/v', { variant: 'url' }, 2],
  ['Zg==', { padding: false }, 4],
  ['Zm9vŁ', {}, 4],
  ['abc', { encoding: 'hex' }, 3],
  ['abcg', { encoding: 'hex' }, 3],
  ['my======', { encoding: 'base32' }, 0],
  ['MZ======', { encoding: 'base32' }, 1],
  ['M=======', { encoding: 'base32' }, 8],
  ['0OIl', { encoding: 'base58' }, 0],
  ['9jqo~', { encoding: 'base85' }, 4],
  ['9jz', { encoding: 'base85' }, 2],
  ['s8W-"', { encoding: 'base85' }, 4],
  ['9jqo^!', { encoding: 'base85' }, 5],
  ['<~9j~qo^~>', { encoding: 'base85' }, 4],
  ['a<~9jqo^~>', { encoding: 'base85' }, 2],
  ['data:text/plain;base64,Zm9!', {}, 26],
  ['Zm9v', { dataUri: true }, 0],
])('reports the position at which %j with %j is invalid', async (text, options, position) => {
  await expect(decoded(text, options)).rejects.toMatchObject({ code: 'BASE64_INVALID', hints: { position } })
})

test('what can be read leniently is refused with the way to read it so', async () => {
  const refusal = (text: string, options: object) =>
    decoded(text, options).then(
      () => undefined,
      (error: { hints: object }) => error.hints,
    )
  expect(await refusal('w6ljbGFpcg', { variant: 'url' })).toEqual({ position: 10, try: { lenient: true } })
  expect(await decoded('w6ljbGFpcg', { variant: 'url', lenient: true })).toBe('éclair')
  expect(await refusal('Zm9vŁ', {})).toEqual({ position: 4 })
})

test.each(['<~9jqo^~>', '9jqo^~>', '<~9jqo^', '9jqo^'])(
  'reads the base85 %s with the delimiters of Adobe',
  async text => {
    expect(await decoded(text, { encoding: 'base85' })).toBe('Man ')
  },
)

test.each([
  [' Zm9\n vYg', {}, 'foob'],
  ['Pz8_Pz4+Pj4', {}, '????>>>>'],
  ['mzxw 6ytb oi', { encoding: 'base32' }, 'foobar'],
  ['66 6F', { encoding: 'hex' }, 'fo'],
  ['<~9jqo^\nBlbD-~>', { encoding: 'base85' }, 'Man is d'],
  ['2NEpo7TZ RRrLZSi2U', { encoding: 'base58' }, 'Hello World!'],
])('is lenient about %j with %j', async (text, options, expected) => {
  expect(await decoded(text, { ...options, lenient: true })).toBe(expected)
})

test('returns binary content as a file of the detected type', async () => {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const answer = await run({ action: 'decode', text: `data:application/unknown;base64,${png}` })
  expect(answer).toMatchObject({
    contentType: 'image/png',
    sizeBytes: 70,
    output: { contentType: 'image/png', name: 'decoded.png' },
  })
  await expect(run({ action: 'decode', text: png, outFormat: 'json' })).rejects.toMatchObject({
    code: 'UNSUPPORTED_FORMAT',
    hints: { detected: 'image/png' },
  })
})

test.each([
  ['eyJhIjoxfQ==', 'application/json'],
  ['PCFkb2N0eXBlIGh0bWw+', 'text/html'],
  ['PHN2Zy8+', 'image/svg+xml'],
  ['AAEC', 'application/octet-stream'],
  ['JVBERi0xLjc=', 'application/pdf'],
])('detects that %s contains %s', async (text, contentType) => {
  expect(await run({ action: 'decode', text })).toMatchObject({ contentType })
})

test.each([
  [{ text: 'hi', dataUri: true }, 'data:text/plain;charset=utf-8;base64,aGk='],
  [{ text: 'a,b', dataUri: 'text/csv' }, 'data:text/csv;base64,YSxi'],
  [{ file: { text: '{"a":1}' }, dataUri: true }, 'data:application/json;base64,eyJhIjoxfQ=='],
])('writes the data URI of %j', async (body, text) => {
  expect(await run({ action: 'encode', ...body })).toMatchObject({ text })
})

test('returns a file above 1 MiB, and below it on request', async () => {
  const { output, sizeBytes } = await run({ action: 'encode', text: 'x'.repeat(2 ** 20) })
  expect(output).toMatchObject({ contentType: 'text/plain', name: 'base64.txt' })
  expect(output!.bytes).toHaveLength(sizeBytes as number)
  expect(await run({ action: 'decode', text: 'Zm9v', outFormat: 'file' })).toMatchObject({
    output: { contentType: 'text/plain' },
  })
})

test.each([
  [{ action: 'encode', text: '€', charset: 'latin1' }, 'INVALID_PARAM', { field: 'charset', position: 0 }],
  [
    { action: 'encode', text: 'a', encoding: 'hex', variant: 'url' },
    'CONFLICTING_OPTIONS',
    { fields: ['variant', 'encoding'] },
  ],
  [{ action: 'encode', text: 'a', dataUri: true, variant: 'url' }, 'CONFLICTING_OPTIONS', {}],
  [
    { action: 'encode', text: 'a', encoding: 'hex', dataUri: true },
    'CONFLICTING_OPTIONS',
    { fields: ['dataUri', 'encoding'] },
  ],
  [{ action: 'encode', text: 'a', lenient: true }, 'CONFLICTING_OPTIONS', { fields: ['lenient', 'action'] }],
  [
    { action: 'encode', file: { text: 'a' }, charset: 'latin1' },
    'CONFLICTING_OPTIONS',
    { fields: ['charset', 'file'] },
  ],
  [{ action: 'encode' }, 'MISSING_FIELD', { field: 'text' }],
  [{ action: 'encode', text: 'x'.repeat(33_000), encoding: 'base58' }, 'INPUT_TOO_LARGE', { limitBytes: 32_768 }],
  [{ action: 'decode', text: '1'.repeat(50_000), encoding: 'base58' }, 'INPUT_TOO_LARGE', { limitBytes: 32_768 }],
])('rejects body %#', async (body, code, hints) => {
  await expect(run(body)).rejects.toMatchObject({ code, hints })
})

test('decodes the largest base58 that it accepts', async () => {
  const bytes = createBytes(32 * 2 ** 10, 9)
  const options = { encoding: 'base58', variant: 'standard', padding: true } as const
  expect(decode(Buffer.from(encode(bytes, options)), { ...options, lenient: false }).equals(bytes)).toBe(true)
})

test('is priced by the size of its file', async () => {
  expect(
    await computePrice('utils.base64', {
      action: 'encode',
      file: { inline: Buffer.alloc(6 * 2 ** 20).toString('base64') },
    }),
  ).toBe(2_000n)
})
