import { expect, test } from 'vitest'
import { runOperation } from '../../support/operations/run.ts'

const extract = (text: string, body: Record<string, unknown>) => runOperation('text.regex-extract', { text, ...body })
const matches = async (text: string, body: Record<string, unknown>) =>
  ((await extract(text, body)).matches as { match: string }[]).map(({ match }) => match)

test('returns the position, the line and the groups of each match', async () => {
  expect(await extract('a1\nb2\n\nc', { pattern: '([a-z])(\\d)?' })).toEqual({
    count: 3,
    truncated: false,
    matches: [
      { match: 'a1', index: 0, line: 1, groups: ['a', '1'] },
      { match: 'b2', index: 3, line: 2, groups: ['b', '2'] },
      { match: 'c', index: 7, line: 4, groups: ['c', null] },
    ],
  })
})

test('respects flags, limits and groups', async () => {
  expect(await matches('A a', { pattern: 'a', flags: 'i' })).toEqual(['A', 'a'])
  expect(await matches('a\nb', { pattern: '^.', flags: 'gm' })).toEqual(['a', 'b'])
  expect(await matches('a\nb', { pattern: 'a.b', flags: 's' })).toEqual(['a\nb'])
  expect(await matches('k=v', { pattern: '(?<key>\\w)=(\\w)', group: 'key' })).toEqual(['k'])
  expect(await matches('k=v', { pattern: '(?<key>\\w)=(\\w)', group: 2 })).toEqual(['v'])
  expect(await extract('aaaa', { pattern: 'a', limit: 2 })).toMatchObject({ count: 2, truncated: true })
  expect(await matches('ab', { pattern: 'x*' })).toEqual(['', '', ''])
})

test.each([
  ['email', 'a.b+c@example.co.uk, <x@y.de>; no@no', ['a.b+c@example.co.uk', 'x@y.de']],
  [
    'email',
    'jürgen@example.com, <j@exämple.de>; 例@例子.中国 x@y.de1',
    ['jürgen@example.com', 'j@exämple.de', '例@例子.中国'],
  ],
  ['url', 'see https://a.de/b?c=d#e, (http://x.org).', ['https://a.de/b?c=d#e', 'http://x.org']],
  ['ipv4', '10.0.0.1 256.1.1.1 1.2.3', ['10.0.0.1']],
  ['ipv6', 'at ::1 and 2001:db8::ff00:42:8329 too', ['::1', '2001:db8::ff00:42:8329']],
  [
    'url',
    'https://en.wikipedia.org/wiki/Rust_(programming_language), (http://x.org/a_(b(c)).) http://x.de/?a[]!',
    ['https://en.wikipedia.org/wiki/Rust_(programming_language)', 'http://x.org/a_(b(c))', 'http://x.de/?a[]'],
  ],
  ['url', '[x](http://x.de/a) http://x.de/(b http://x.de/c).', ['http://x.de/a', 'http://x.de/(b', 'http://x.de/c']],
  [
    'ipv6',
    '::ffff:192.168.1.10, fe80::1%eth0 [::1]:80 2001:db8::/32.',
    ['::ffff:192.168.1.10', 'fe80::1', '::1', '2001:db8::'],
  ],
  ['ipv6', '1::2::3 1:2:3 12:30:45 std::dec a:::b 1:2:3:4:5:6:7:8:9', []],
  ['ipv6', 'It is 2001:db8::5. Or:fe80::7: 1:2:3:4:5:6:7:8.', ['2001:db8::5', '1:2:3:4:5:6:7:8']],
  ['uuid', 'x 123e4567-e89b-12d3-a456-426614174000 y', ['123e4567-e89b-12d3-a456-426614174000']],
  [
    'iban',
    'DE89 3704 0044 0532 0130 00 and GB82WEST12345698765432',
    ['DE89 3704 0044 0532 0130 00', 'GB82WEST12345698765432'],
  ],
  [
    'date',
    'am 3. Mai 2026, on 1st of March 2024, March 31, 2025, le 14 juillet 1999, 5 de enero de 2021, 9 Sept. 2020, 24. Dez. 2025, 3 cats 2020, May 2026',
    [
      ...['3. Mai 2026', '1st of March 2024', 'March 31, 2025', '14 juillet 1999', '5 de enero de 2021'],
      ...['9 Sept. 2020', '24. Dez. 2025'],
    ],
  ],
  ['date', '2024-02-29, 31.12.1999, 12/25/2024, 2024-13-01', ['2024-02-29', '31.12.1999', '12/25/2024']],
  ['hashtag', '#eins #größe_2 #123', ['#eins', '#größe_2']],
  ['money', '$1,234.50 or 99 EUR or €5', ['$1,234.50', '99 EUR', '€5']],
  ['money', '-$3 (-€5) -4 EUR −£6', ['-$3', '-€5', '-4 EUR', '−£6']],
  ['money', '$3-$5, 3€-5€, a-$7', ['$3', '$5', '3€', '5€', '$7']],
  ['phone', 'call +49 30 1234 5678 or (555) 123-4567', ['+49 30 1234 5678', '(555) 123-4567']],
  ['phone', '030 1234567, 020 7946 0958, 01 23 45 67 89', ['030 1234567', '020 7946 0958', '01 23 45 67 89']],
  ['phone', '+4915112345678, 555-123-4567, 0171/1234567', ['+4915112345678', '555-123-4567', '0171/1234567']],
  [
    'phone',
    '2026-11-27, 27.11.2026, 01/02/2026, order 100234 567, DE89 3704 0044 0532 0130 00, 12345678, C++17 2020',
    [],
  ],
  ['eth-address', `0x${'aB'.repeat(20)} 0x12`, [`0x${'aB'.repeat(20)}`]],
])('finds matches by preset %s', async (preset, text, found) => {
  expect(await matches(text, { preset })).toEqual(found)
})

test('tells whether the check digits of an IBAN are right', async () => {
  const answer = await extract('DE89 3704 0044 0532 0130 00, DE89 3704 0044 0532 0130 01', { preset: 'iban' })
  expect(answer.matches).toMatchObject([{ valid: true }, { valid: false }])
})

test('replaces what a preset finds, and nothing else', async () => {
  const text = 'a\n-$3, $4 and 1::2::3 or ::1.'
  const money = await extract(text, { preset: 'money', replace: '[$&]' })
  expect(money.text).toBe('a\n[-$3], [$4] and 1::2::3 or ::1.')
  expect(money.matches).toMatchObject([
    { match: '-$3', index: 2, line: 2 },
    { match: '$4', index: 7 },
  ])
  expect((await extract(text, { preset: 'ipv6', replace: '$$x' })).text).toBe('a\n-$3, $4 and 1::2::3 or $x.')
})

test('replaces', async () => {
  expect((await extract('2024-02', { pattern: '(?<y>\\d+)-(\\d+)', replace: '$2/$<y> $$1' })).text).toBe('02/2024 $1')
})

test.each([
  ['(?=a)', 'REGEX_UNSUPPORTED', { construct: 'lookahead' }],
  ['a(?<!b)', 'REGEX_UNSUPPORTED', { construct: 'lookbehind' }],
  ['(a)\\1', 'REGEX_UNSUPPORTED', { construct: 'backreference' }],
  ['a(b', 'REGEX_INVALID', {}],
  ['ab**', 'REGEX_INVALID', { position: 2 }],
  ['[z-a]', 'REGEX_INVALID', { position: 1 }],
  ['a{1001}', 'REGEX_INVALID', {}],
  ['((a{100}){100}){100}', 'REGEX_INVALID', {}],
])('rejects the pattern %s', async (pattern, code, hints) => {
  await expect(extract('a', { pattern })).rejects.toMatchObject({ code, hints })
})

test('treats escaped brackets as literal', async () => {
  expect(await matches('(?=a)', { pattern: '\\(\\?=a\\)' })).toEqual(['(?=a)'])
})

test.each([
  [{}, 'MISSING_FIELD'],
  [{ pattern: 'a', preset: 'email' }, 'CONFLICTING_OPTIONS'],
  [{ pattern: 'a', group: 3 }, 'INVALID_PARAM'],
  [{ pattern: 'a', group: 'x' }, 'INVALID_PARAM'],
])('rejects %j', async (body, code) => {
  await expect(extract('a', body)).rejects.toMatchObject({ code })
})

const EVIL = [
  '(a+)+$',
  '(a|a)*$',
  '(a|aa)+$',
  '(.*a){12}$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(x+x+)+y',
  '(?:a?){30}a{30}$',
]

test.each(EVIL)('runs %s in linear time', async pattern => {
  await extract(`${'a'.repeat(30_000)}!`, { pattern })
})

test('returns many matches as a file', async () => {
  const { output, count } = await extract('ab '.repeat(40_000), { pattern: '\\w', limit: 100_000 })
  expect(count).toBe(80_000)
  expect(JSON.parse(Buffer.from(output!.bytes!).toString())).toHaveLength(80_000)
})
