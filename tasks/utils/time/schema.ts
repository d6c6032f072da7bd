import { Type } from 'typebox'
import { Choice } from '#kit'
import { WEEKDAYS } from '../../formats/time/calendar.ts'
import { TOTAL_UNITS } from '../../formats/time/difference.ts'
import { DURATION_UNITS } from '../../formats/time/duration.ts'

export const ACTIONS = ['convert', 'add', 'difference', 'cron'] as const
export type Action = (typeof ACTIONS)[number]

const MAX_NUMBER = 1e12
/** Each of them is counted, so there are fewer of them. */
const MAX_BUSINESS_DAYS = 100_000

export const TimeText = (description: string) =>
  Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Number()], { description })

export const ZoneName = (description: string) => Type.String({ minLength: 1, maxLength: 64, description })

const unitSchema = (unit: string) => {
  const limit = unit === 'businessDays' ? MAX_BUSINESS_DAYS : MAX_NUMBER
  const isExact = ['hours', 'minutes', 'seconds'].includes(unit)
  return Type.Optional((isExact ? Type.Number : Type.Integer)({ minimum: -limit, maximum: limit }))
}

export const DURATION = Type.Union(
  [
    Type.String({ minLength: 2, maxLength: 100 }),
    Type.Object(Object.fromEntries(DURATION_UNITS.map(unit => [unit, unitSchema(unit)])), {
      minProperties: 1,
      additionalProperties: false,
    }),
  ],
  {
    description:
      'For add: ISO 8601 (P1M2DT3H, -P7D), or an object such as {"months": 1, "businessDays": -3}. Years to business ' +
      'days move the date and keep the time of day; 31 January and a month is the last of February. Hours and less pass.',
  },
)

export const UNIT = Type.Optional(
  Choice(TOTAL_UNITS, { description: 'For difference: the unit of `total`. Left out: seconds.' }),
)

export const WEEKEND = Type.Optional(
  Type.Array(Choice(WEEKDAYS.map(day => day.toLowerCase())), {
    maxItems: 6,
    uniqueItems: true,
    description: 'For business days: the days without. Left out: saturday and sunday.',
  }),
)

export const HOLIDAYS = Type.Optional(
  Type.Array(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }), {
    maxItems: 2000,
    description: 'For business days: more dates without, such as 2026-12-25. No holiday is known otherwise.',
  }),
)

const INTEGER = Type.Optional(Type.Integer())

export const ANSWER = {
  utc: Type.Optional(Type.String({ description: 'The time in UTC. Not for cron and difference.' })),
  unixSeconds: Type.Optional(Type.Number()),
  unixMs: INTEGER,
  times: Type.Optional(
    Type.Array(
      Type.Object({
        timeZone: Type.String(),
        iso: Type.String(),
        offset: Type.String({ description: 'From UTC, such as +01:00.' }),
        abbreviation: Type.String({
          description: 'Such as CET; the offset where a zone has no letters, or before 1970.',
        }),
        weekday: Choice(WEEKDAYS),
        week: Type.String({ description: 'By ISO 8601, such as 2026-W11.' }),
        dst: Type.Boolean({ description: 'Whether daylight saving is on.' }),
        unixSeconds: Type.Optional(Type.Number({ description: 'For cron.' })),
        adjusted: Type.Optional(
          Choice(['skipped', 'twice'], { description: 'For cron: the clock is changed at this time.' }),
        ),
      }),
      { description: 'The time in each zone; for cron, the times that come next.' },
    ),
  ),
  total: Type.Optional(Type.Number({ description: 'The difference in `unit`, with a fraction.' })),
  unit: UNIT,
  parts: Type.Optional(
    Type.Object(
      {
        ...{ years: INTEGER, months: INTEGER, days: INTEGER, hours: INTEGER, minutes: INTEGER, seconds: INTEGER },
        milliseconds: INTEGER,
      },
      { description: 'The difference on the calendar; all are negative if `until` is before `time`.' },
    ),
  ),
  duration: Type.Optional(Type.String({ description: 'The same as ISO 8601.' })),
}
