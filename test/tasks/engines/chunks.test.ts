import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Chunk, type ChunkTerms, SPLITS, splitText } from '../../../tasks/engines/chunks/split.ts'

const TERMS: ChunkTerms = { split: 'sentence', chunkBytes: 400, overlapBytes: 60 }

/** What the chunks are without what each has in common with the one before. */
function join(source: string, chunks: readonly Chunk[]): string {
  let at = 0
  let text = ''
  for (const { start, end } of chunks) {
    expect(start).toBeLessThanOrEqual(at)
    text += source.slice(at, end)
    at = end
  }
  return text
}

function listGraphemeEnds(text: string): Set<number> {
  const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)
  return new Set([...segments].map(({ index }) => index).concat(text.length))
}

const FAMILY = '👨‍👩‍👧‍👦'
const WORDS = [
  ...[
    'tide',
    'Ebb.',
    '潮汐表示。',
    'เวลาน้ำขึ้น',
    'שלום',
    'مرحبا',
    FAMILY,
    '🇮🇸🇳🇴',
    'ñ́',
    '\r\n',
    '\n\n',
    '\n',
    ' ',
    '# Tides\n',
    '- item\n',
  ],
  ...[
    '| a | b |\n| - | - |\n| 1 | 2 |\n',
    '```js\nlet a = 1\n```\n',
    '```\n',
    '<table>\n<tr>\n</table>\n',
    '\u0301',
    '\u200d',
    '   ',
    '한국어',
  ],
]
const sources = fc.array(fc.constantFrom(...WORDS), { maxLength: 300 }).map(words => words.join(''))

test('chunks joined without their overlap are the source, none is too large, and none cuts a character', () => {
  fc.assert(
    fc.property(
      sources,
      fc.constantFrom(...SPLITS),
      fc.integer({ min: 200, max: 900 }),
      fc.nat(100),
      (source, split, chunkBytes, share) => {
        const overlapBytes = Math.floor((chunkBytes * share) / 200)
        const chunks = splitText(source, { split, chunkBytes, overlapBytes })
        expect(join(source, chunks)).toBe(source)
        const ends = listGraphemeEnds(source)
        for (const { text, start, end, repeated } of chunks) {
          expect(text).toBe(repeated + source.slice(start, end))
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(chunkBytes)
          expect([start, end].filter(at => !ends.has(at))).toEqual([])
        }
      },
    ),
    { numRuns: 300 },
  )
})

const rows = Array.from({ length: 10_000 }, (_, index) => `| harbour ${index} | ${index % 7} m |\n`)
const HOSTILE: [string, string][] = [
  ['one word of 4 MiB', 'x'.repeat(4 * 2 ** 20)],
  ['4 MiB of exclamation marks', '!'.repeat(4 * 2 ** 20)],
  ['emoji families', FAMILY.repeat(20_000)],
  ['flags without a space', '🇮🇸'.repeat(60_000)],
  ['a letter under a million marks', `a${'\u0301'.repeat(300_000)}`],
  ['Chinese without spaces', '潮水每天涨落两次'.repeat(100_000)],
  ['Thai without spaces', 'น้ำขึ้นวันละสองครั้ง'.repeat(50_000)],
  ['text from right to left', 'המים עולים פעמיים ביום. '.repeat(50_000)],
  ['lines of CRLF', 'Low at six.\r\n'.repeat(50_000)],
  ['blank lines', '\n'.repeat(150_000)],
  ['spaces', ' '.repeat(4 * 2 ** 20)],
  ['a table of 10,000 rows', `| Name | Tide |\n| --- | --- |\n${rows.join('')}`],
  ['a fence that is never closed', `\`\`\`\n${'let a = 1\n'.repeat(50_000)}`],
  ['tables that never end', '<table>\n'.repeat(80_000)],
  ['half pairs', '\ud83d'.repeat(150_000)],
]

test.each(HOSTILE)('%s', (_, source) => {
  for (const split of SPLITS) {
    const chunks = splitText(source, { ...TERMS, split })
    expect(join(source, chunks) === source).toBe(true)
    expect(Math.max(...chunks.map(({ text }) => Buffer.byteLength(text)))).toBeLessThanOrEqual(400)
  }
})

test('a flag or a family is never cut, also where the next chunk begins with the end of the one before', () => {
  for (const source of [FAMILY.repeat(500), '🇮🇸'.repeat(500), 'น้ำขึ้นวันละสองครั้ง'.repeat(100)]) {
    const ends = listGraphemeEnds(source)
    const chunks = splitText(source, TERMS)
    expect(chunks.flatMap(({ start, end }) => [start, end]).filter(at => !ends.has(at))).toEqual([])
    expect(chunks.slice(1).every(({ start }, index) => start < chunks[index]!.end)).toBe(true)
  }
})

test('a table that is too large is cut between its rows, under the names of its columns again', () => {
  const source = `# Tides\n\nHeights:\n\n| Name | Tide |\n| --- | --- |\n${rows.slice(0, 200).join('')}\nThe end.`
  const chunks = splitText(source, { ...TERMS, split: 'markdown' })
  const parts = chunks.filter(({ repeated }) => repeated !== '')
  expect(parts.length).toBeGreaterThan(3)
  for (const { text, headings } of parts) {
    expect(text.split('\n').slice(0, 2)).toEqual(['| Name | Tide |', '| --- | --- |'])
    expect(
      text
        .trimEnd()
        .split('\n')
        .slice(2)
        .every(line => /^\| harbour \d+ \| \d m \|$/.test(line) || line === 'The end.' || line === ''),
    ).toBe(true)
    expect(headings).toEqual(['Tides'])
  }
})

test('a table or a code block that fits is whole, however the rest is cut', () => {
  const table = `| a | b |\n| - | - |\n${'| one | two |\n'.repeat(10)}`
  const code = `\`\`\`sh\n${'echo one. Two.\n'.repeat(10)}\`\`\`\n`
  const prose = 'The tide comes in. It goes out again. '.repeat(20)
  for (const split of SPLITS) {
    const chunks = splitText(`${prose}\n\n${table}\n${prose}\n\n${code}\n${prose}`, { ...TERMS, split })
    expect(chunks.filter(({ text }) => text.includes(table))).toHaveLength(1)
    expect(chunks.filter(({ text }) => text.includes(code))).toHaveLength(1)
  }
})

test('chunks know the headings that they stand under, and no heading is left behind', () => {
  const section = 'The tide comes in twice a day and goes out as often. '.repeat(5)
  const source = `Before.\n\n# Sea\n\n${section}\n\n## Tides\n\n### Spring\n\n${section}\n\n# Land #\n\n${section}`
  const chunks = splitText(source, { ...TERMS, split: 'markdown', overlapBytes: 0 })
  expect([...new Set(chunks.map(({ headings }) => headings.join(' > ')))]).toEqual(['', 'Sea', 'Sea > Tides', 'Land'])
  for (const split of ['sentence', 'paragraph', 'markdown'] as const) {
    const last = splitText(source, { ...TERMS, split }).map(({ text }) => text.trimEnd().split('\n').at(-1)!)
    expect(last.filter(line => line.startsWith('#'))).toEqual([])
  }
})

test('sentences are whole, and the next chunk begins with the last of those before', () => {
  const sentences = Array.from({ length: 40 }, (_, index) => `Sentence ${index} of Dr. Finn is about the tide. `)
  const chunks = splitText(sentences.join(''), TERMS)
  for (const { text } of chunks) expect(text).toMatch(/^Sentence \d+ .*tide\. ?$/)
  expect(chunks.slice(1).every(({ start }, index) => start < chunks[index]!.end)).toBe(true)
})
