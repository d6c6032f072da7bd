import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { embedText, HASH_DIMENSIONS } from '../../../../tasks/engines/vectors/hash-embedding.ts'
import { listWords } from '../../../../tasks/engines/vectors/words.ts'

const cosine = (one: string, other: string) => {
  const [left, right] = [embedText(one)!, embedText(other)!]
  return left.reduce((sum, value, index) => sum + value * right[index]!, 0)
}

test('a text always has the same vector, of length 1', () => {
  const vector = embedText('The quick brown fox, çà et là; 東京 🚀')!
  const bytes = Buffer.from(vector.buffer)
  expect(vector).toHaveLength(HASH_DIMENSIONS)
  expect(Math.hypot(...vector)).toBeCloseTo(1, 6)
  // Stored vectors are compared with those of later versions, so a change here needs another name of the model.
  expect(createHash('sha256').update(bytes).digest('hex').slice(0, 16)).toBe('552ea4b9eab637fd')
})

test('shared wording brings texts near, whatever its case and form', () => {
  expect(cosine('Reset the PASSWORD', 'reset the password')).toBeCloseTo(1, 6)
  expect(cosine('ﬁne cafe\u0301', 'fine café')).toBeCloseTo(1, 6)
  const [near, far] = [cosine('resetting passwords', 'password reset'), cosine('resetting passwords', 'a bowl of soup')]
  expect(near).toBeGreaterThan(0.3)
  expect(Math.abs(far)).toBeLessThan(0.15)
})

test.each([
  ['It’s 3.5 m_long', ['it', 's', '3', '5', 'm', 'long']],
  ['東京タワー xyz', ['東京', '京タ', 'タワ', 'ワー', 'xyz']],
  ['🚀', ['🚀']],
  ['...\n', []],
  [`${'a'.repeat(63)}🚀`, [`${'a'.repeat(63)}\ufffd`]],
])('the words of %j are %j', (text, words) => {
  expect(listWords(text)).toEqual(words)
})

test('a text without words has no vector', () => {
  expect(embedText(' …!? ')).toBeUndefined()
})
