import { Type } from 'typebox'
import { Choice } from '#kit'
import { SPEND_PERIODS } from '../../../sql/spending/alarms.ts'

export const PeriodPath = Type.Object({ period: Choice(SPEND_PERIODS, { examples: ['day'] }) })

export const SpendAlarm = Type.Object({
  period: Choice(SPEND_PERIODS),
  limitMicros: Type.String(),
  spentMicros: Type.String({ description: 'What calls of the current period have cost so far.' }),
  periodStart: Type.String({ format: 'date-time', description: 'Hours and days are those of UTC.' }),
  isReached: Type.Boolean({ description: 'The owner was told in this period.' }),
})

export const LimitMicros = Type.String({ pattern: '^[1-9]\\d{0,14}$', description: 'Millionths of a US dollar.' })

export const BalanceAlarm = Type.Object({
  limitMicros: Type.String(),
  balanceMicros: Type.String({ description: 'What is left now, without what is held for calls that run.' }),
  isReached: Type.Boolean({ description: 'The owner was told, and the balance was not as high since.' }),
})

export const CHANGE_RULE = 'A key with limits can set an alarm, but neither change nor remove one.'

export const OWNER_ERRORS = ['MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'] as const
