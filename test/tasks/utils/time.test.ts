import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runOperation } from '../../support/operations/run.ts'

interface Times {
  utc?: string
  unixMs?: number
  total?: number
  duration?: string
  times?: { iso: string; abbreviation: string; dst: boolean; weekday: string; week: string; adjusted?: string }[]
  warnings?: { code: string }[]
}

const NOW = new Date('2026-11-28T20:00:00.250Z')
const ask = async (input: Record<string, unknown>) => (await runOperation('utils.time', input, NOW)) as Times
const isoOf = async (input: Record<string, unknown>) => (await ask(input)).times!.map(({ iso }) => iso)
const codes = ({ warnings = [] }: Times) => warnings.map(({ code }) => code)

describe('a time', () => {
  test.each([
    ['2026-03-14T10:00:00+01:00', '2026-03-14T09:00:00Z'],
    ['2026-03-14T10:00Z', '2026-03-14T10:00:00Z'],
    ['20260314T100000Z', '2026-03-14T10:00:00Z'],
    ['2026-03-14 10:00:00.123456789 -0330', '2026-03-14T13:30:00.123Z'],
    ['2026-07-01T10:00+02:00[Europe/Berlin]', '2026-07-01T08:00:00Z'],
    ['2026-07-01T10:00[europe/berlin]', '2026-07-01T08:00:00Z'],
    ['Sat, 14 Mar 2026 10:00:00 +0100', '2026-03-14T09:00:00Z'],
    ['14 March 2026 10:00 UTC', '2026-03-14T10:00:00Z'],
    ['March 14th, 2026 at 3:05 p.m. America/New_York', '2026-03-14T19:05:00Z'],
    ['12am 1 Jan 2026 Z', '2026-01-01T00:00:00Z'],
    ['Sat Mar 14 2026 10:00:00 GMT+0100 (Central European Standard Time)', '2026-03-14T09:00:00Z'],
    ['Sat Mar 14 10:00:00 UTC 2026', '2026-03-14T10:00:00Z'],
    [1_773_478_800, '2026-03-14T09:00:00Z'],
    [1_773_478_800.5, '2026-03-14T09:00:00.500Z'],
    ['1773478800250', '2026-03-14T09:00:00.250Z'],
    [-62_135_596_800, '0001-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['2026-06-30T24:00Z', '2026-07-01T00:00:00Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59Z'],
  ])('is read from %s', async (time, utc) => expect((await ask({ time, to: ['UTC'] })).utc).toBe(utc))

  test.each([
    ['14 March 2026 10:00', '2026-03-14T09:00:00Z'],
    ['2026/3/4 10:00', '2026-03-04T09:00:00Z'],
    ['20260314', '2026-03-13T23:00:00Z'],
    ['10:00, 14 Mar 2026', '2026-03-14T09:00:00Z'],
  ])('without offset, %s, is of the given zone', async (time, utc) => {
    expect((await ask({ time, timeZone: 'Europe/Berlin' })).utc).toBe(utc)
  })

  test('that is left out is now', async () => {
    expect(await ask({})).toMatchObject({ utc: '2026-11-28T20:00:00.250Z', unixMs: NOW.getTime() })
  })

  test.each([
    ['without a zone', '14 March 2026 10:00', /timeZone/],
    ['that is a date without a zone', '2026-03-14', /timeZone/],
    ['with the day or the month first', '03/04/2026 10:00Z', /either order/],
    ['of a date that is not', '2026-02-30T10:00Z', /no such date/],
    ['of an hour that is not', '2026-02-20T25:00Z', /no such date/],
    ['of 24:01', '2026-02-20T24:01Z', /no such date/],
    ['of 13 pm', '14 March 2026 13:00 pm Z', /no such date/],
    ['of another weekday', 'Fri, 14 Mar 2026 10:00:00 +0100', /is a Saturday/],
    ['of an offset that its zone does not have', '2026-07-01T10:00+01:00[Europe/Berlin]', /not the offset/],
    ['in words that nobody can count from', 'tomorrow at noon', /Write 2026/],
    ['too far off', '99999999999999999', /seconds or milliseconds/],
    ['of the year 0', '0000-12-31T10:00Z', /1 to 9999/],
  ])('%s is refused', async (_name, time, reason) => {
    await expect(ask({ time })).rejects.toMatchObject({
      code: 'TIME_INVALID',
      hints: { reason: expect.stringMatching(reason) },
    })
  })

  test.each([
    'x'.repeat(100),
    '9'.repeat(100),
    '14 '.repeat(33),
    ' '.repeat(100),
    '2026-03-14T10:00[[[[',
    `${'+'.repeat(99)}1`,
  ])('that is hostile (%j) is refused', async time => {
    await expect(ask({ time, timeZone: 'UTC' })).rejects.toMatchObject({ code: 'TIME_INVALID' })
  })
})

describe('a zone', () => {
  test.each([
    ['Europe/Berlin', 'CET', false, 'CEST', true],
    ['Europe/Dublin', 'GMT', false, 'IST', true],
    ['Australia/Sydney', 'AEDT', true, 'AEST', false],
    ['America/Phoenix', 'MST', false, 'MST', false],
    ['America/Sao_Paulo', '-03', false, '-03', false],
    ['Asia/Kathmandu', '+0545', false, '+0545', false],
    ['Africa/Casablanca', '+01', false, '+01', false],
    ['Antarctica/Troll', 'GMT', false, '+02', true],
    ['Asia/Tokyo', 'JST', false, 'JST', false],
    ['-03:30', '-0330', false, '-0330', false],
  ])('%s is %s (%s) in January and %s (%s) in July', async (zone, winter, isWinter, summer, isSummer) => {
    const [january, july] = await Promise.all(
      ['2026-01-15T12:00Z', '2026-07-15T12:00Z'].map(async time => (await ask({ time, to: [zone] })).times![0]!),
    )
    expect([january!.abbreviation, january!.dst, july!.abbreviation, july!.dst]).toEqual([
      ...[winter, isWinter, summer, isSummer],
    ])
  })

  test('has its local mean time before it was set up, and weeks by ISO 8601', async () => {
    const [time] = (await ask({ time: '1700-01-01T00:00Z', to: ['America/New_York'] })).times!
    expect(time).toMatchObject({ iso: '1699-12-31T19:03:58-04:56:02', abbreviation: 'LMT', week: '1699-W53' })
    expect((await ask({ time: '2027-01-01', timeZone: 'UTC' })).times![0]!.week).toBe('2026-W53')
  })

  test.each([
    ['Berlin', ['Europe/Berlin']],
    ['New York', ['America/New_York']],
    ['Europe/Berln', ['Europe/Berlin']],
    ['BST', ['Europe/London']],
    ['PST', ['America/Los_Angeles', 'Asia/Manila']],
    ['IST', ['Asia/Kolkata', 'Europe/Dublin', 'Asia/Jerusalem']],
  ])('%s is refused with the names that may be meant', async (timeZone, didYouMean) => {
    await expect(ask({ timeZone })).rejects.toMatchObject({
      code: 'TIME_ZONE_UNKNOWN',
      hints: { field: 'timeZone', didYouMean },
    })
  })

  test.each(['+25:00', 'Mars/Olympus', '\u0000', 'x'.repeat(64)])('%j is refused', async zone => {
    await expect(ask({ to: ['UTC', zone] })).rejects.toMatchObject({
      code: 'TIME_ZONE_UNKNOWN',
      hints: { field: 'to/1' },
    })
  })
})

describe('at a change of the clock', () => {
  const twice = { time: '2026-10-25T02:30', timeZone: 'Europe/Berlin' }
  const skipped = { time: '2026-03-29T02:30', timeZone: 'Europe/Berlin' }

  test('a time that comes twice is told', async () => {
    const first = await ask(twice)
    expect([first.times![0]!.iso, codes(first)]).toEqual(['2026-10-25T02:30:00+02:00', ['TIME_TWICE']])
    expect(await isoOf({ ...twice, ambiguous: 'later' })).toEqual(['2026-10-25T02:30:00+01:00'])
  })

  test('a time that the clock skips moves on', async () => {
    const moved = await ask(skipped)
    expect([moved.times![0]!.iso, codes(moved)]).toEqual(['2026-03-29T03:30:00+02:00', ['TIME_SKIPPED']])
    const samoa = await ask({ time: '2011-12-30T10:00', timeZone: 'Pacific/Apia' })
    expect(samoa.times![0]!.iso).toBe('2011-12-31T10:00:00+14:00')
  })

  test.each([
    [twice, 'twice'],
    [skipped, 'skipped'],
  ])('%j is refused if that is asked for', async (input, is) => {
    await expect(ask({ ...input, ambiguous: 'refuse' })).rejects.toMatchObject({
      code: 'TIME_NOT_UNIQUE',
      hints: { is, timeZone: 'Europe/Berlin' },
    })
  })

  test('the times beside it are of one kind', async () => {
    for (const time of ['2026-03-29T01:59:59', '2026-03-29T03:00', '2026-10-25T01:59:59', '2026-10-25T03:00'])
      expect(codes(await ask({ ...twice, time }))).toEqual([])
  })
})

test.each([
  ['2026-01-31T09:00', 'P1M', '2026-02-28T09:00:00-05:00'],
  ['2026-01-31T09:00', '1 month', '2026-02-28T09:00:00-05:00'],
  ['2026-01-30T09:00', '2 weeks and 1 day', '2026-02-14T09:00:00-05:00'],
  ['2026-01-30T09:00', '1 business day', '2026-02-02T09:00:00-05:00'],
  ['2024-02-29', 'P1Y', '2025-02-28T00:00:00-05:00'],
  ['2026-03-07T12:00', 'P1D', '2026-03-08T12:00:00-04:00'],
  ['2026-03-07T12:00', 'PT24H', '2026-03-08T13:00:00-04:00'],
  ['2026-03-07T02:30', 'P1D', '2026-03-08T03:30:00-04:00'],
  ['2026-03-31', '-P1M', '2026-02-28T00:00:00-05:00'],
  ['2026-01-01', 'P1W2DT1.5H', '2026-01-10T01:30:00-05:00'],
  ['2026-01-01', { months: -1, days: 3, minutes: 30 }, '2025-12-04T00:30:00-05:00'],
  ['2026-12-23T08:00', { businessDays: 2 }, '2026-12-28T08:00:00-05:00'],
  ['2026-12-26T08:00', { businessDays: -1 }, '2026-12-24T08:00:00-05:00'],
  ['2026-12-26T08:00', { businessDays: 0 }, '2026-12-26T08:00:00-05:00'],
])('%s and %j is %s', async (time, duration, iso) => {
  const input = { action: 'add', time, duration, timeZone: 'America/New_York', holidays: ['2026-12-25'] }
  expect(await isoOf(input)).toEqual([iso])
})

test.each([
  ['2026-01-31', '2026-03-01', 'months', 1.0323, 'P1M1D'],
  ['2026-03-28', '2026-03-30', 'hours', 47, 'P2D'],
  ['2026-03-28', '2026-03-30', 'days', 2, 'P2D'],
  ['2026-03-30', '2026-03-28', 'days', -2, '-P2D'],
  ['1990-05-17', '2026-05-16', 'years', 35.99726, 'P35Y11M29D'],
  ['2026-01-01T10:00', '2026-01-01T12:30:15.25', 'minutes', 150.254166667, 'PT2H30M15.25S'],
  ['2026-12-24T18:00', '2026-12-28T08:00', 'businessDays', 1, 'P3DT14H'],
  ['2026-12-28', '2026-12-24', 'businessDays', -1, '-P4D'],
  ['2026-01-01', '2027-01-01', 'businessDays', 260, 'P1Y'],
  ['2026-01-01', '2026-01-01', 'seconds', 0, 'PT0S'],
  ['0001-01-01', '9999-12-31', 'years', 9998.99726, 'P9998Y11M30D'],
])('from %s to %s in %s it is %d, %s', async (time, until, unit, total, duration) => {
  const input = { action: 'difference', time, until, unit, timeZone: 'Europe/Berlin', holidays: ['2026-12-25'] }
  const answer = await ask(input)
  expect([answer.duration, answer.total]).toEqual([duration, expect.closeTo(total, 4)])
})

test('dates alone need no zone where they are counted, and the parts add up to the difference', async () => {
  expect(await ask({ action: 'difference', time: '2026-01-01', until: '2026-03-01', unit: 'days' })).toMatchObject({
    total: 59,
  })
  const ms = fc.integer({ min: -6e13, max: 2e14 })
  await fc.assert(
    fc.asyncProperty(
      ms,
      ms,
      fc.constantFrom('Europe/Berlin', 'America/New_York', 'Pacific/Apia'),
      async (from, to, zone) => {
        const [time, until] = [from, to].sort((a, b) => a - b).map(at => new Date(at).toISOString())
        const { duration } = await ask({ action: 'difference', time, until, timeZone: zone })
        expect((await ask({ action: 'add', time, duration, timeZone: zone })).unixMs).toBe(Date.parse(until!))
      },
    ),
    { numRuns: 60 },
  )
})

test.each([
  ['P1H', 'INVALID_PARAM'],
  ['PD', 'INVALID_PARAM'],
  ['P1DT', 'INVALID_PARAM'],
  ['3 moons', 'INVALID_PARAM'],
  ['1 day 1 day', 'INVALID_PARAM'],
  ['1.5 months', 'INVALID_PARAM'],
  ['P1.5D', 'INVALID_PARAM'],
  ['P99999999Y', 'TIME_INVALID'],
  [{ hours: 1e12 }, 'TIME_INVALID'],
  [{ days: 1e12 }, 'TIME_INVALID'],
  ['P8000Y', 'TIME_INVALID'],
  [{ businessDays: 100_000, years: 7900 }, 'TIME_INVALID'],
])('refuses to add %j', async (duration, code) => {
  await expect(ask({ action: 'add', time: '2026-01-01', duration })).rejects.toMatchObject({ code })
})

test('refuses a holiday that is no date', async () => {
  const input = { action: 'add', time: '2026-01-01', duration: 'P1D', holidays: ['2026-02-30'] }
  await expect(ask(input)).rejects.toMatchObject({ code: 'INVALID_PARAM', hints: { field: 'holidays/0' } })
})

test.each([
  [{ action: 'convert', duration: 'P1D' }, 'CONFLICTING_OPTIONS'],
  [{ action: 'cron', cron: '@daily', to: ['UTC'] }, 'CONFLICTING_OPTIONS'],
  [{ action: 'add' }, 'MISSING_FIELD'],
  [{ action: 'difference', time: '2026-01-01' }, 'MISSING_FIELD'],
  [{ action: 'cron' }, 'MISSING_FIELD'],
])('refuses %j', async (input, code) => {
  await expect(ask(input)).rejects.toMatchObject({ code })
})
