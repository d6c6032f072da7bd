import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computePrice, runOperation } from '../../support/operations/run.ts'

const run = (body: Record<string, unknown>) => runOperation('text.slugify', body)
const slug = async (text: string, options = {}) => (await run({ text, ...options })).slug as string

test.each([
  ['Hello, World!', {}, 'hello-world'],
  ['  --Déjà   vu--  ', {}, 'deja-vu'],
  ["Don't stop", {}, 'dont-stop'],
  ['北京 東京', {}, 'beijing-dongjing'],
  ['Привет, мир', {}, 'privet-mir'],
  ['مرحبا', {}, 'mrhb'],
  ['Ελληνικά', {}, 'ellinika'],
  ['한국어', {}, 'hangugeo'],
  ['I ♥ 🦄s', {}, 'i-hearts-unicorn-s'],
  ['R&D', {}, 'r-and-d'],
  ['R&D', { locale: 'de' }, 'r-und-d'],
  ['Äöüß ẞ', {}, 'aouss-ss'],
  ['Äöüß', { locale: 'de-AT' }, 'aeoeuess'],
  ['A\u0308pfel', { locale: 'de' }, 'aepfel'],
  ['Smørrebrød på Åen', { locale: 'da' }, 'smoerrebroed-paa-aaen'],
  ['İstanbul Ilık ışığı', { locale: 'tr' }, 'istanbul-ilik-isigi'],
  ['Hello World', { lower: false, separator: '_' }, 'Hello_World'],
  ['a b', { separator: '' }, 'ab'],
  ['Größe 北京 Ünï', { transliterate: 'keep' }, 'größe-北京-ünï'],
  ['हिन्दी', { transliterate: 'keep' }, 'हिन्दी'],
  ['one two three', { maxLength: 8 }, 'one-two'],
  ['one two three', { maxLength: 7 }, 'one-two'],
  ['one two three', { maxLength: 6 }, 'one'],
  ['incomprehensible', { maxLength: 6 }, 'incomp'],
  ['𠮷𠮷𠮷', { transliterate: 'keep', maxLength: 3 }, '𠮷'],
  ['x'.repeat(200), {}, 'x'.repeat(80)],
])('creates a slug for %j with %j', async (text, options, expected) => {
  expect(await slug(text, options)).toBe(expected)
})

test('contains only characters that are safe in a URL, for any text', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary', maxLength: 100 }),
      fc.integer({ min: 1, max: 40 }),
      async (text, maxLength) => {
        const created = await slug(text, { maxLength, fallback: 'x' })
        expect(created).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
        expect(created.length).toBeLessThanOrEqual(maxLength)
        expect(await slug(created, { maxLength })).toBe(created)
      },
    ),
    { numRuns: 300 },
  )
})

test.each([
  ['admin', { reserved: ['Admin'] }, 'admin-2'],
  ['Hello', { existing: ['hello', 'hello-2', 'hello-3'] }, 'hello-4'],
  ['Hello', { existing: ['hello'], lower: false }, 'Hello'],
  ['hello world', { existing: ['hello-world'], maxLength: 11 }, 'hello-wor-2'],
  ['hello ab', { existing: ['hello-ab'], maxLength: 8 }, 'hello-2'],
  ['ab', { existing: ['ab'], maxLength: 2 }, '2'],
])('numbers the slug of %j if it is taken: %j', async (text, options, expected) => {
  expect(await slug(text, options)).toBe(expected)
})

test('keeps the order of a batch, and makes slugs unique only if names are reserved', async () => {
  expect(await run({ texts: ['A b', 'a B', 'c'] })).toEqual({ slugs: ['a-b', 'a-b', 'c'] })
  expect(await run({ texts: ['A b', 'a B', 'c'], existing: [] })).toEqual({ slugs: ['a-b', 'a-b-2', 'c'] })
})

test('numbers a thousand equal slugs', async () => {
  const { slugs } = await run({ texts: Array.from({ length: 1000 }, () => 'same'), existing: ['same-7'] })
  expect(new Set(slugs as string[]).size).toBe(1000)
  expect((slugs as string[]).at(-1)).toBe('same-1001')
})

test('reads a file', async () => {
  expect(await run({ file: { inline: Buffer.from('\ufeffÉté', 'utf16le').toString('base64') } })).toEqual({
    slug: 'ete',
  })
})

test('accepts 4 MiB', async () => {
  expect(await slug(`${'!'.repeat(4 * 2 ** 20 - 2)}ok`)).toBe('ok')
  expect(await slug('a'.repeat(4 * 2 ** 20))).toHaveLength(80)
})

test.each([
  [{ text: '!!!' }, 'SLUG_EMPTY', {}],
  [{ texts: ['a', '…'] }, 'SLUG_EMPTY', { index: 1 }],
  [{ text: '!!!', fallback: '???' }, 'SLUG_EMPTY', {}],
  [{ texts: Array(11).fill('a'), maxLength: 1, existing: [] }, 'SLUG_EMPTY', { taken: true }],
  [{}, 'MISSING_FIELD', { field: 'text' }],
  [{ text: 'a', texts: ['a'] }, 'CONFLICTING_OPTIONS', { fields: ['text', 'texts'] }],
  [{ text: 'a', locale: '!' }, 'INVALID_PARAM', { field: 'locale' }],
])('rejects %j', async (body, code, hints) => {
  await expect(run(body)).rejects.toMatchObject({ code, hints })
})

test('uses the fallback if nothing is left', async () => {
  expect(await slug('!!!', { fallback: 'No Title' })).toBe('no-title')
})

test('is priced by all texts of a batch together', async () => {
  expect(await computePrice('text.slugify', { text: 'a' })).toBe(1_000n)
  expect(await computePrice('text.slugify', { texts: ['x'.repeat(2 ** 20), 'x'] })).toBe(2_000n)
})
