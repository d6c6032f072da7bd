import { expect, test } from 'vitest'
import { value } from '../../../../sql/db.ts'
import { findDay, formatMoment } from '../../../../tasks/products/esigndoc/dates.ts'
import { openTestLedger } from '../../../support/database/ledger.ts'

/** Moments around changes of clocks, with what the clocks of a place show. */
const MOMENTS: [at: string, zone: string, shown: string][] = [
  ['2026-03-29T00:59:00Z', 'Europe/Berlin', '2026-03-29 01:59'],
  ['2026-03-29T01:00:00Z', 'Europe/Berlin', '2026-03-29 03:00'],
  ['2026-10-25T00:30:00Z', 'Europe/Berlin', '2026-10-25 02:30'],
  ['2026-10-25T01:30:00Z', 'Europe/Berlin', '2026-10-25 02:30'],
  ['2026-12-31T23:30:00Z', 'Europe/Berlin', '2027-01-01 00:30'],
  ['2026-03-08T06:59:00Z', 'America/New_York', '2026-03-08 01:59'],
  ['2026-03-08T07:00:00Z', 'America/New_York', '2026-03-08 03:00'],
  ['2026-11-01T05:30:00Z', 'America/New_York', '2026-11-01 01:30'],
  ['2026-11-01T06:30:00Z', 'America/New_York', '2026-11-01 01:30'],
  ['2026-06-30T18:30:00Z', 'Asia/Kolkata', '2026-07-01 00:00'],
  ['2026-06-30T18:29:59Z', 'Asia/Kolkata', '2026-06-30 23:59'],
  ['2026-04-04T13:44:00Z', 'Pacific/Chatham', '2026-04-05 03:29'],
  ['2026-04-04T14:00:00Z', 'Pacific/Chatham', '2026-04-05 02:45'],
  ['2026-09-26T13:59:00Z', 'Pacific/Chatham', '2026-09-27 02:44'],
  ['2026-09-26T14:00:00Z', 'Pacific/Chatham', '2026-09-27 03:45'],
]

test.each(MOMENTS)('%s is shown in %s as %s', (at, zone, shown) => {
  expect(formatMoment(at, zone)).toBe(shown)
  expect(findDay(new Date(at), zone)).toBe(shown.slice(0, 10))
})

/** Some days later the clocks show the same hour; where there is none, the hour that comes after it. */
const LATER: [at: string, zone: string, days: number, then: string][] = [
  ['2026-03-26T09:00:00Z', 'Europe/Berlin', 3, '2026-03-29T08:00:00Z'],
  ['2026-03-28T01:30:00Z', 'Europe/Berlin', 1, '2026-03-29T01:30:00Z'],
  ['2026-03-28T01:30:00Z', 'Europe/Berlin', 2, '2026-03-30T00:30:00Z'],
  ['2026-10-24T08:00:00Z', 'Europe/Berlin', 1, '2026-10-25T09:00:00Z'],
  ['2026-03-06T17:00:00Z', 'America/New_York', 3, '2026-03-09T16:00:00Z'],
  ['2026-10-30T16:00:00Z', 'America/New_York', 30, '2026-11-29T17:00:00Z'],
  ['2026-03-28T09:00:00Z', 'Asia/Kolkata', 3, '2026-03-31T09:00:00Z'],
  ['2026-04-03T20:00:00Z', 'Pacific/Chatham', 2, '2026-04-05T21:00:00Z'],
  ['2026-09-25T20:00:00Z', 'Pacific/Chatham', 2, '2026-09-27T19:00:00Z'],
  ['2026-01-31T09:00:00Z', 'UTC', 30, '2026-03-02T09:00:00Z'],
]

test('reminders and ends come at the same hour when clocks change, and none comes twice', async () => {
  await using ledger = await openTestLedger()
  const read = (query: string, values: unknown[]) => value<Date>(ledger.db, query, values)
  for (const [at, zone, days, then] of LATER)
    expect([at, zone, days, await read('select esigndoc.add_days($1, $2, $3)', [at, days, zone])]).toEqual([
      ...[at, zone, days],
      new Date(then),
    ])
  const next = (asked: string, sent: number, reminders: object) =>
    value<Date | null>(
      ledger.db,
      `select esigndoc.next_reminder(e, r) from json_populate_record(null::svc.envelope, $1) e,
        json_populate_record(null::svc.envelope_recipient, $2) r`,
      [
        JSON.stringify({ timezone: 'Europe/Berlin', terms: { reminders } }),
        JSON.stringify({ role: 'signer', status: 'notified', notified_at: asked, reminders_sent: sent }),
      ],
    )
  const reminders = { firstAfterDays: 3, everyDays: 5, max: 2 }
  const day = 86_400_000
  const now = new Date()
  const first = (await next(now.toISOString(), 0, reminders))!
  expect(Math.round((first.getTime() - now.getTime()) / day)).toBe(3)
  // Of those that were missed by a service that was down, only the next one comes.
  const late = (await next(new Date(now.getTime() - 100 * day).toISOString(), 1, reminders))!
  expect((late.getTime() - now.getTime()) / day).toBeGreaterThan(0.5)
  expect((late.getTime() - now.getTime()) / day).toBeLessThan(5.6)
  expect(await next(now.toISOString(), 2, reminders)).toBe(null)
  expect(await next(now.toISOString(), 0, { ...reminders, max: 0 })).toBe(null)
})
