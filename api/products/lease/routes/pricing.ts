import { Type } from 'typebox'
import { route } from '../../../route.ts'
import { type LeaseKind, MIN_SECONDS, readMinimum } from '../price.ts'

const Limit = Type.Object({ min: Type.Integer(), default: Type.Integer(), ceiling: Type.Integer() })
const Duration = Type.Object({ min: Type.Integer(), default: Type.Integer(), max: Type.Integer() })
const RATE = { perMibDayMicros: Type.String(), minimumMicros: Type.String(), durationSeconds: Duration }

export default route({
  at: 'GET /api/pricing',
  summary: 'What checkpoints, mailboxes and storage leases cost now, with their limits.',
  keywords:
    'price of a mailbox, cost of storage, cost of a checkpoint, lease rates, what can I lease here, what is there to lease, cheapest lease',
  description:
    'A lease is paid once, when it is made: `max(minimumMicros, ceil(MiB x days x perMibDayMicros))` of what it may hold and for how long.',
  auth: ['none'],
  reply: {
    status: 200,
    schema: Type.Object({
      currency: Type.Literal('USD'),
      unit: Type.Literal('micros'),
      rates: Type.Object({
        checkpoint: Type.Object({ ...RATE, maxBodyBytes: Limit }),
        mailbox: Type.Object({ ...RATE, capacityBytes: Limit, maxMessageBytes: Limit, maxMessages: Limit }),
        storage: Type.Object({ ...RATE, maxBodyBytes: Limit }),
        handoff: Type.Object({ issueMicros: Type.String(), claimMicros: Type.String() }),
      }),
      updatedAt: Type.String({ format: 'date-time' }),
    }),
  },
  errors: [],
  handle: (_asked, { settings }) => {
    const rateOf = (kind: LeaseKind) => ({
      perMibDayMicros: String(Math.round(settings.get(`lease.${kind}_rate`))),
      minimumMicros: String(readMinimum(settings)),
      durationSeconds: { min: MIN_SECONDS, default: 86_400, max: settings.get('lease.max_seconds') },
    })
    const limit = (min: number, byDefault: number, ceiling: number) => ({ min, default: byDefault, ceiling })
    return {
      currency: 'USD',
      unit: 'micros',
      rates: {
        checkpoint: { ...rateOf('checkpoint'), maxBodyBytes: limit(1, 65_536, settings.get('lease.checkpoint_bytes')) },
        mailbox: {
          ...rateOf('mailbox'),
          capacityBytes: limit(1_024, 1_048_576, settings.get('lease.mailbox_bytes')),
          maxMessageBytes: limit(1, 262_144, settings.get('lease.message_bytes')),
          maxMessages: limit(1, 1_000, settings.get('lease.messages')),
        },
        storage: { ...rateOf('storage'), maxBodyBytes: limit(1, 10_485_760, settings.get('lease.storage_bytes')) },
        handoff: {
          issueMicros: String(settings.get('lease.handoff_issue_micros')),
          claimMicros: String(settings.get('lease.handoff_claim_micros')),
        },
      },
      updatedAt: settings.readAt.toISOString(),
    }
  },
})
