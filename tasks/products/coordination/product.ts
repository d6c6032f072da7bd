import { numberSetting, product } from '#kit'

const coordination = product({
  title: 'Coordination',
  summary: 'Questions to people, and rooms, queues, locks, barriers and counters for agents.',
  family: 'bridge',
  isFamilyHead: true,
  scopes: {
    'bridge:read': 'Read your asks, channels, locks, barriers and counters.',
    'bridge:write':
      'Ask people, open channels, send messages, take locks, arrive at barriers and change counters, which spends from your balance.',
  },
  dashboard: { path: '/dashboard/coordination', position: 48 },
  problems: {
    LOCK_HELD: [409, 'The lock is held; try again after retryAfterMs, or wait for it with waitSec.'],
    FENCE_STALE: [409, 'This token does not hold the lock. Stop what the lock protects, and take it again.'],
    BARRIER_OPEN: [409, 'A round of this barrier is open; arrive at that one.'],
    BARRIER_CLOSED: [409, 'This round of the barrier is over; open the next one.'],
    COUNTER_LIMIT: [409, 'The counter would pass min or max, so it was not changed.'],
    TOO_MANY_NAMES: [
      409,
      'The account or the channel has as many names of this kind as it can have; use one of them again.',
    ],
  },
  settings: {
    'coordination.max_names': numberSetting(
      10_000,
      1,
      1_000_000,
      'How many locks, counters and rounds of barriers one account or one channel may have, of each.',
    ),
    'coordination.unused_days': numberSetting(
      30,
      1,
      3_650,
      'After how many days locks that nobody holds and rounds of barriers are deleted.',
    ),
  },
  retention: [
    {
      of: 'locks that nobody holds, and rounds of barriers',
      after: 'their end and coordination.unused_days',
      removedBy: 'chore coordination.forget',
    },
    { of: 'counters', after: 'their deletion, or when the account is erased', removedBy: 'coordination.erase_account' },
    {
      of: 'locks, barriers and counters of a channel',
      after: 'a day after its end',
      removedBy: 'chore channel.forget',
    },
  ],
  erase: 'coordination.erase_account',
  exported: 'coordination.export_account',
})

export default coordination

declare module '../../kit/product.ts' {
  interface Products {
    coordination: typeof coordination
  }
}
