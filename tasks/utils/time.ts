import { Type } from 'typebox'
import { Choice, define, perCall, Warnings } from '#kit'
import { CHOICES } from '../formats/time/reader.ts'
import { answerAction, requireFields } from './time/answers.ts'
import { ACTIONS, ANSWER, DURATION, HOLIDAYS, TimeText, UNIT, WEEKEND, ZoneName } from './time/schema.ts'

export default define({
  summary:
    'Convert times between zones, add durations, measure differences, and list the next times of a cron expression.',
  keywords:
    'timezone, what is 9am there, 9am in new york, noon in tokyo, clock, time zone converter, utc, unix timestamp, epoch, iso 8601, daylight saving, dst, date arithmetic, date math, add months to a date, ' +
    'days between dates, business days, working days, what time is it, current time, now, duration, cron next run, ' +
    'crontab, weekday of a date, week number, age',
  description:
    'Exact where a guess is not enough: zones by IANA with their changes of the clock, in the years 1 to 9999. A time is ' +
    'ISO 8601, Unix seconds or milliseconds, or words such as 14 March 2026 10:00; without an offset it needs `timeZone`. ' +
    'A time that the clock shows twice or skips is told in a warning. Cron has five fields with names, L, W and #; where ' +
    'both fields of days are given, one is enough. A job of given hours runs once when the clock changes, and a skipped ' +
    'one after the jump; one of each hour (`*`) runs by what passes.',
  price: perCall('0.001'),
  uses: [],
  input: Type.Object({
    action: Choice(ACTIONS, { default: 'convert' }),
    time: Type.Optional(TimeText('Left out: now. For cron: the times after this.')),
    timeZone: Type.Optional(
      ZoneName('The zone of times without an offset, and of the calendar: an IANA name (Europe/Berlin) or an offset.'),
    ),
    to: Type.Optional(
      Type.Array(ZoneName('A zone'), {
        ...{ minItems: 1, maxItems: 30, uniqueItems: true },
        description: 'For convert and add: the zones of the answer. Left out: `timeZone`, or that of the time.',
      }),
    ),
    ambiguous: Choice(CHOICES, {
      default: 'earlier',
      description:
        'Which of the two, when a clock put back shows a time twice. A skipped time moves on: 02:30 is 03:30. `refuse` refuses both.',
    }),
    duration: Type.Optional(DURATION),
    until: Type.Optional(TimeText('For difference: the other time.')),
    unit: UNIT,
    cron: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'For cron: such as 0 9 * * MON-FRI, in `timeZone` or UTC.',
      }),
    ),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: 'For cron. Left out: 5.' })),
    weekend: WEEKEND,
    holidays: HOLIDAYS,
  }),
  output: Type.Object({ ...ANSWER, warnings: Warnings }),
  errors: ['CONFLICTING_OPTIONS', 'TIME_INVALID', 'TIME_ZONE_UNKNOWN', 'TIME_NOT_UNIQUE', 'CRON_INVALID'],
  examples: [
    {
      title: 'A meeting in Berlin, in New York and Tokyo',
      input: { time: '14 March 2026 10:00', timeZone: 'Europe/Berlin', to: ['America/New_York', 'Asia/Tokyo'] },
      answer: {
        utc: '2026-03-14T09:00:00Z',
        unixSeconds: 1_773_478_800,
        times: [
          { timeZone: 'America/New_York', iso: '2026-03-14T05:00:00-04:00', abbreviation: 'EDT', dst: true },
          { timeZone: 'Asia/Tokyo', iso: '2026-03-14T18:00:00+09:00', abbreviation: 'JST', dst: false },
        ],
      },
    },
    {
      title: 'A month after the last of January',
      input: { action: 'add', time: '2026-01-31T09:00', timeZone: 'America/New_York', duration: 'P1M' },
      answer: { times: [{ iso: '2026-02-28T09:00:00-05:00', weekday: 'Saturday' }] },
    },
    {
      title: 'Business days until a deadline',
      input: {
        ...{ action: 'difference', time: '2026-12-21', until: '2026-12-31', unit: 'businessDays' },
        holidays: ['2026-12-25'],
      },
      answer: { total: 7, unit: 'businessDays', duration: 'P10D' },
    },
    {
      title: 'When a job runs next',
      input: { action: 'cron', cron: '30 2 * * *', timeZone: 'Europe/Berlin', time: '2026-03-28T12:00Z', count: 2 },
      answer: {
        times: [{ iso: '2026-03-29T03:30:00+02:00', adjusted: 'skipped' }, { iso: '2026-03-30T02:30:00+02:00' }],
      },
    },
  ],

  run({ action, ...input }, { now }) {
    requireFields(action, input)
    return answerAction(action, input, now)
  },
})
