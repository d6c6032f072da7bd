import { expect, test } from 'vitest'
import { countSyllables } from '../../../tasks/text/count/readability.ts'
import { runOperation } from '../../support/operations/run.ts'

const count = (text: string, options = {}) => runOperation('text.count', { text, ...options })

test('counts graphemes, not code units', async () => {
  expect(await count('👨‍👩‍👧 é e\u0301')).toMatchObject({ graphemes: 5, codePoints: 10, bytes: 25 })
  expect(await count('a\r\nb\r\n')).toMatchObject({ graphemes: 4, lines: 2, bytes: 6 })
})

test.each([
  ['', { words: 0, lines: 0, paragraphs: 0, sentences: 0, bytes: 0, readability: null }],
  ['one\ntwo\n\n \nthree', { words: 3, lines: 5, paragraphs: 2 }],
  ['Dr. No came. It is 3.14! Why?', { words: 7 }],
  ['我喜欢苹果。你呢？', { sentences: 2, readability: null }],
  ['!!! ...', { words: 0, sentences: 0 }],
])('counts in %j', async (text, counts) => {
  expect(await count(text)).toMatchObject(counts)
})

test('finds words in scripts without spaces', async () => {
  const { words } = await count('สวัสดีชาวโลก', { locale: 'th' })
  expect(words).toBe(3)
})

test('reports reading time, the most frequent words and readability', async () => {
  const answer = await count('The cat and the dog and the bird. '.repeat(100), { wordsPerMinute: 400 })
  expect(answer).toMatchObject({ words: 800, readingTimeSec: 120, speakingTimeSec: 320 })
  expect(answer.topWords).toEqual(expect.arrayContaining([{ word: 'the', count: 300 }]))
  expect((answer.readability as { flesch: number }).flesch).toBeGreaterThan(100)
  expect((await count('the cat', { locale: 'de' })).readability).toBeNull()
})

test.each([
  ['de', 'Der Hund und die Katze sind nicht in dem Haus, aber sie haben es gern.'],
  ['fr', 'Le chat et le chien ne sont pas dans la maison, mais ils aiment bien les enfants.'],
])('computes no readability of a text in %s', async (language, text) => {
  expect(await count(text)).toMatchObject({ language, readability: null })
})

test.each([
  ['cat', 1],
  ['make', 1],
  ['table', 2],
  ['readability', 5],
  ['beautiful', 3],
])('counts the syllables of %s', (word, syllables) => {
  expect(countSyllables(word)).toBe(syllables)
})

test('counts tokens as models do', async () => {
  const text = 'hello world, how are you?'
  expect((await count(text, { tokens: 'cl100k' })).tokensEstimate).toBe(7)
  expect((await count(text, { tokens: 'o200k' })).tokensEstimate).toBe(7)
  expect((await count('<|endoftext|>', { tokens: 'o200k' })).tokensEstimate).toBeGreaterThan(3)
  const { tokensEstimate } = await count(text)
  expect(tokensEstimate).toBe(7)
})

test.each(['a', ' ', '\n', '好'])('is not slow on a long run of %j', async letter => {
  const { tokensEstimate } = await count(letter.repeat(200_000), { tokens: 'o200k' })
  expect(tokensEstimate).toBeGreaterThan(1000)
})
