import { Type } from 'typebox'
import { Choice, event, formatUsd, notification, product } from '#kit'

const FACTS = {
  period: Choice(['hour', 'day']),
  periodStart: Type.String({ format: 'date-time' }),
  limitMicros: Type.String(),
  spentMicros: Type.String(),
}
const EXAMPLE = {
  period: 'day',
  periodStart: '2026-11-26T00:00:00.000Z',
  limitMicros: '5000000',
  spentMicros: '5120000',
} as const

const BALANCE_FACTS = { limitMicros: Type.String(), balanceMicros: Type.String() }
const BALANCE_EXAMPLE = { limitMicros: '1000000', balanceMicros: '994000' } as const

const spending = product({
  title: 'Spend alarms',
  summary: 'Amounts spent within an hour or a day, or left on an account, of which its owner is told.',
  family: 'account',
  dashboard: { path: '/dashboard/spend-alarms', position: 35 },
  events: {
    'account.spend_alarm': event({
      of: 'account',
      summary:
        'The calls of an hour or a day (UTC) have cost as much as the account wants to be told of. Once a period.',
      payload: FACTS,
      example: EXAMPLE,
    }),
    'account.balance_low': event({
      of: 'account',
      summary:
        'The balance has fallen below the amount that the account wants to be told of. Once until it is as high again.',
      payload: BALANCE_FACTS,
      example: BALANCE_EXAMPLE,
    }),
  },
  notifications: {
    'spending.balance_low': notification({
      summary: 'The balance of an account has fallen below what it wants to be told of.',
      data: BALANCE_FACTS,
      example: BALANCE_EXAMPLE,
      subject: ({ balanceMicros }) => `${formatUsd(BigInt(balanceMicros))} USD left on your account`,
      text: ({ limitMicros, balanceMicros }, { publicUrl }) =>
        `${formatUsd(BigInt(balanceMicros))} USD are left on your account, and you want to be told below ${formatUsd(BigInt(limitMicros))} USD. Calls that cost more than is left are refused.\n\nTop up: ${publicUrl}/dashboard/billing\n\nThis message comes once, until the balance is as high again.\n`,
    }),
    'spending.alarm': notification({
      summary: 'An account has spent as much within an hour or a day as it wants to be told of.',
      data: FACTS,
      example: EXAMPLE,
      subject: ({ period, spentMicros }) => `${formatUsd(BigInt(spentMicros))} USD spent within one ${period}`,
      text: ({ period, periodStart, limitMicros, spentMicros }, { publicUrl }) =>
        `your calls of the ${period} that began at ${periodStart.slice(0, 16).replace('T', ' ')} UTC have cost ${formatUsd(BigInt(spentMicros))} USD, and you want to be told of ${formatUsd(BigInt(limitMicros))} USD in one ${period}.\n\nWhat it was spent on: ${publicUrl}/dashboard/ledger\n\nThis message comes once a ${period}. Calls go on: to stop them, give your keys limits at ${publicUrl}/dashboard/keys\n`,
    }),
  },
  exported: 'spending.export_account',
  erase: 'spending.erase_account',
})

export default spending

declare module '../../kit/product.ts' {
  interface Products {
    spending: typeof spending
  }
}
