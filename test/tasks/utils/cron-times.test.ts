import { expect, test } from 'vitest'
import { runOperation } from '../../support/operations/run.ts'

interface Runs {
  times: { iso: string; adjusted?: string }[]
}

const list = async (cron: string, input: Record<string, unknown> = {}) => {
  const body = { action: 'cron', cron, time: '2026-01-01T00:00Z', count: 3, ...input }
  return ((await runOperation('utils.time', body)) as unknown as Runs).times
}
const datesOf = async (cron: string, input = {}) => (await list(cron, input)).map(({ iso }) => iso.slice(0, 16))

test.each([
  ['*/20 9-10 * * *', ['2026-01-01T09:00', '2026-01-01T09:20', '2026-01-01T09:40']],
  ['5/25 0 * * *', ['2026-01-01T00:05', '2026-01-01T00:30', '2026-01-01T00:55']],
  ['0 9 * * mon-fri', ['2026-01-01T09:00', '2026-01-02T09:00', '2026-01-05T09:00']],
  ['0 9 * * Sat-Sun', ['2026-01-03T09:00', '2026-01-04T09:00', '2026-01-10T09:00']],
  ['0 9 * * 7', ['2026-01-04T09:00', '2026-01-11T09:00', '2026-01-18T09:00']],
  ['0 0 ? jan,JULY 1', ['2026-01-05T00:00', '2026-01-12T00:00', '2026-01-19T00:00']],
  ['0 12 13 * FRI', ['2026-01-02T12:00', '2026-01-09T12:00', '2026-01-13T12:00']],
  ['0 12 */2 * FRI', ['2026-01-09T12:00', '2026-01-23T12:00', '2026-02-13T12:00']],
  ['0 0 L * *', ['2026-01-31T00:00', '2026-02-28T00:00', '2026-03-31T00:00']],
  ['0 0 L-2 * *', ['2026-01-29T00:00', '2026-02-26T00:00', '2026-03-29T00:00']],
  ['0 0 15W * *', ['2026-01-15T00:00', '2026-02-16T00:00', '2026-03-16T00:00']],
  ['0 0 1W * *', ['2026-01-01T00:00', '2026-02-02T00:00', '2026-03-02T00:00'].slice(1)],
  ['0 0 * * 5L', ['2026-01-30T00:00', '2026-02-27T00:00', '2026-03-27T00:00']],
  ['0 0 * * FRI#2', ['2026-01-09T00:00', '2026-02-13T00:00', '2026-03-13T00:00']],
  ['0 0 29 2 *', ['2028-02-29T00:00', '2032-02-29T00:00', '2036-02-29T00:00']],
  ['@monthly', ['2026-02-01T00:00', '2026-03-01T00:00', '2026-04-01T00:00']],
])('%s runs at %j', async (cron, times) => expect(await datesOf(cron, { count: times.length })).toEqual(times))

test('begins after the given time, in the zone that is given', async () => {
  const input = { time: '2026-06-01T09:00+02:00', timeZone: 'Europe/Berlin', count: 1 }
  expect(await list('0 9 * * *', input)).toMatchObject([{ iso: '2026-06-02T09:00:00+02:00' }])
})

test.each([
  ['30 2 * * *', '2026-03-28T12:00Z', ['2026-03-29T03:30:00+02:00 skipped', '2026-03-30T02:30:00+02:00']],
  ['30 2 * * *', '2026-10-24T12:00Z', ['2026-10-25T02:30:00+02:00 twice', '2026-10-26T02:30:00+01:00']],
  ['30 2,3 * * *', '2026-03-28T12:00Z', ['2026-03-29T03:30:00+02:00', '2026-03-30T02:30:00+02:00']],
  ['30 * * * *', '2026-03-29T00:00Z', ['2026-03-29T01:30:00+01:00', '2026-03-29T03:30:00+02:00']],
  [
    '30 * * * *',
    '2026-10-25T00:00Z',
    ['2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00+01:00', '2026-10-25T03:30:00+01:00'],
  ],
])('%s after %s, when the clock changes, is %j', async (cron, time, times) => {
  const runs = await list(cron, { time, timeZone: 'Europe/Berlin', count: times.length })
  expect(runs.map(({ iso, adjusted }) => [iso, ...(adjusted ? [adjusted] : [])].join(' '))).toEqual(times)
})

test('ends with the year 9999, and lists hundreds', async () => {
  expect(await datesOf('0 0 1 1 *', { time: '9997-06-01T00:00Z', count: 10 })).toEqual([
    '9998-01-01T00:00',
    '9999-01-01T00:00',
  ])
  expect(
    new Set(await datesOf('* * * * *', { count: 500, time: '2026-10-24T22:00Z', timeZone: 'Europe/Berlin' })).size,
  ).toBe(440)
})

test.each([
  ['* * * *', /five fields/],
  ['0 0 9 * * *', /five fields/],
  ['60 * * * *', /0 to 59/],
  ['* * 0 * *', /1 to 31/],
  ['* * * FOO *', /JAN to DEC/],
  ['* 22-2 * * *', /ends before/],
  ['*/0 * * * *', /steps/],
  ['1,,2 * * * *', /0 to 59/],
  [', * * * *', /0 to 59/],
  ['0 0 30 2 *', /No date fits/],
  ['0 0 31 4,6 *', /No date fits/],
  ['* * * * FRI#6', /5#2/],
  [`${'1,'.repeat(120)}1 * * * x`, /SUN to SAT/],
])('%s is refused', async (cron, reason) => {
  await expect(list(cron)).rejects.toMatchObject({
    code: 'CRON_INVALID',
    hints: { field: 'cron', reason: expect.stringMatching(reason) },
  })
})
