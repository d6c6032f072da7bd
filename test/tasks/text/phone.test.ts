import { expect, test } from 'vitest'
import { computePrice, runOperation } from '../../support/operations/run.ts'

interface Answer {
  count: number
  valid: number
  truncated: boolean
  numbers: Record<string, unknown>[]
}

const run = async (body: Record<string, unknown>) => (await runOperation('text.phone', body)) as unknown as Answer
const readOne = async (number: string, country?: string) => (await run({ numbers: [number], country })).numbers[0]

// Numbers of authorities and those that regulators set aside for films, of which the type is published.
test.each([
  ['030 901820', 'DE', { e164: '+4930901820', national: '030 901820', country: 'DE', type: 'fixed-line' }],
  ['+44 7400 123456', undefined, { e164: '+447400123456', national: '07400 123456', country: 'GB', type: 'mobile' }],
  ['(800) 555-0199', 'us', { e164: '+18005550199', country: 'US', type: 'toll-free' }],
  ['06 698 81', 'IT', { e164: '+390669881', callingCode: '39', country: 'VA' }],
  ['+7 701 111 22 33', undefined, { country: 'KZ', callingCode: '7', type: 'mobile' }],
  ['+54 9 11 2345 6789', undefined, { e164: '+5491123456789', national: '011 15-2345-6789', country: 'AR' }],
  ['+41 (0)44 668 18 00', undefined, { e164: '+41446681800', international: '+41 44 668 18 00' }],
  ['0041446681800', undefined, { e164: '+41446681800' }],
  ['011 41 44 668 18 00', 'US', { e164: '+41446681800', country: 'CH' }],
  ['＋４１ 44 668 18 00', undefined, { e164: '+41446681800' }],
  ['٠٥٠ ١٢٣ ٤٥٦٧', 'AE', { e164: '+971501234567', country: 'AE' }],
  [' tel:+1-201-555-0123;ext=5 ', undefined, { e164: '+12015550123', extension: '5', uri: 'tel:+12015550123;ext=5' }],
  ['+1 213 373 4253 x12', undefined, { extension: '12', international: '+1 213 373 4253 ext. 12' }],
  ['+800 1234 5678', undefined, { e164: '+80012345678', callingCode: '800', type: 'toll-free' }],
])('reads %s of %s', async (number, country, expected) => {
  const found = await readOne(number, country)
  expect(found).toMatchObject({ input: number, valid: true, possible: true, ...expected })
  expect(found).not.toHaveProperty('reason')
})

test.each([
  ['030 901820', undefined, 'country-missing'],
  ['+999 123456', undefined, 'calling-code-unknown'],
  ['+49 12', undefined, 'too-short'],
  [`+49 ${'1'.repeat(30)}`, undefined, 'too-long'],
  ['12345', 'US', 'too-short'],
  ['hello', 'US', 'not-a-number'],
  ['call +49 30 901820 now', undefined, 'not-a-number'],
  ['+', undefined, 'not-a-number'],
  ['x'.repeat(250), undefined, 'not-a-number'],
  [' ', 'DE', 'not-a-number'],
])('says why %s of %s is no number', async (number, country, reason) => {
  expect(await readOne(number, country)).toEqual({ input: number, valid: false, possible: false, reason })
})

test('a number of the right length that no one can have is possible, not valid', async () => {
  expect(await readOne('+1 111 111 1111')).toMatchObject({
    ...{ valid: false, possible: true, reason: 'not-assigned', e164: '+11111111111', callingCode: '1' },
  })
})

test('answers every number of a list, in its order', async () => {
  const numbers = Array.from({ length: 1000 }, (_, at) => (at % 2 === 0 ? `+44 7400 ${123_000 + at}` : 'x'))
  const answer = await run({ numbers })
  expect([answer.count, answer.valid, answer.truncated]).toEqual([1000, 500, false])
  expect(answer.numbers.map(({ input }) => input)).toEqual(numbers)
})

const LETTER = `Dear Ada,
ring 030 901820 or +1 (213) 373-4253 ext. 12 before 12.03.2026 10:20.
Order 1234567890, IBAN DE89 3704 0044 0532 0130 00, server 192.168.10.20, 1,234,567.00 EUR.\r
😀 Mobile: +44 7400 123456`

test('takes no date for a number, and no order that begins with one', async () => {
  const text = 'Order 2024-11-05-123 of 2026-11-28, due 28.11.2026 or 1/12/2026; tel. 030 76543210.'
  for (const country of ['DE', 'AT', 'FR', 'US']) {
    const { numbers } = await run({ text, country })
    expect(numbers.map(({ input }) => input)).toEqual(numbers.length > 0 ? ['030 76543210'] : [])
  }
})

test('finds the numbers of a text, with their places', async () => {
  const { numbers, count } = await run({ text: LETTER, country: 'DE' })
  expect(count).toBe(3)
  expect(numbers.map(({ e164, line }) => [e164, line])).toEqual([
    ['+4930901820', 2],
    ['+12133734253', 2],
    ['+447400123456', 4],
  ])
  for (const { input, index } of numbers) expect(LETTER.slice(Number(index)).startsWith(String(input))).toBe(true)
  expect((await run({ text: LETTER })).numbers.map(({ e164 }) => e164)).toEqual(['+12133734253', '+447400123456'])
})

test('stops at the limit, and reads files', async () => {
  expect(await run({ text: LETTER, country: 'DE', limit: 2 })).toMatchObject({ count: 2, truncated: true })
  expect(await run({ text: LETTER, country: 'DE', limit: 3 })).toMatchObject({ count: 3, truncated: false })
  expect(await run({ file: { text: LETTER } })).toMatchObject({ count: 2 })
  expect(await run({ text: '' })).toMatchObject({ count: 0, numbers: [] })
})

test('finds what stands after very many digits', async () => {
  const text = `${'12 '.repeat(30)}\n`.repeat(3000)
  expect(await run({ text: `${text}+44 7400 123456` })).toMatchObject({ count: 1, numbers: [{ line: 3001 }] })
}, 60_000)

test('refuses unknown countries, and more or less than one source', async () => {
  await expect(run({ numbers: ['1'], country: 'XX' })).rejects.toMatchObject({
    code: 'INVALID_PARAM',
    hints: { field: 'country' },
  })
  await expect(run({ numbers: ['1'], country: 'uk' })).rejects.toMatchObject({
    hints: { allowed: 'GB, the code of the United Kingdom' },
  })
  await expect(run({ numbers: ['1'], text: 'x' })).rejects.toMatchObject({ code: 'CONFLICTING_OPTIONS' })
  await expect(run({})).rejects.toMatchObject({ code: 'MISSING_FIELD' })
})

test('refuses a file that is no text, even if all its bytes could be one', async () => {
  const inline = Buffer.from('%PDF-1.4\n% +44 20 7946 0018\n').toString('base64')
  await expect(run({ file: { inline } })).rejects.toMatchObject({
    code: 'UNSUPPORTED_FORMAT',
    hints: { detected: 'application/pdf' },
  })
})

test('costs by the size of what is given', async () => {
  expect(await computePrice('text.phone', { numbers: ['+44 7400 123456'] })).toBe(1000n)
})
