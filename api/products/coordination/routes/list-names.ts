import { Type } from 'typebox'
import { Choice } from '#kit'
import { listNames } from '../../../../sql/coordination/counters.ts'
import { route } from '../../../route.ts'
import { findPlace } from '../name.ts'
import { Barrier, Counter, InChannel, Lock, READ_ERRORS } from '../schema.ts'

const KINDS = ['lock', 'barrier', 'counter'] as const
const Kind = <Name extends (typeof KINDS)[number]>(name: Name) => ({ kind: Type.Literal(name) })

export default route({
  at: 'GET /v1/bridge/names',
  summary: 'List your locks, barriers and counters by name, or those of a channel.',
  keywords: 'all my locks, all my counters, who holds what',
  auth: ['key', 'wallet'],
  query: Type.Object(
    {
      kind: Type.Optional(Choice(KINDS)),
      after: Type.Optional(
        Type.String({
          pattern: '^(lock|barrier|counter) [A-Za-z0-9._:-]{1,128}$',
          description: 'Begin after this one: `next` of the page before.',
        }),
      ),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      channel: InChannel,
    },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      data: Type.Array(
        Type.Union([
          Type.Object({ ...Kind('lock'), ...Lock.properties }),
          Type.Object({ ...Kind('barrier'), ...Barrier.properties }),
          Type.Object({ ...Kind('counter'), ...Counter.properties }),
        ]),
      ),
      next: Type.Union([Type.String(), Type.Null()]),
    }),
  },
  errors: [...READ_ERRORS, 'UNKNOWN_FIELD'],
  async handle({ caller, request, query: { kind, after, limit, channel } }, context) {
    const { accountId, channelId } = await findPlace(context, { caller, request, channel }, 'read')
    const found = await listNames(context.db, accountId, { channelId, kind, after, limit: limit + 1 })
    const data = found.slice(0, limit)
    const last = data.at(-1)
    return { data, next: found.length > limit && last ? `${last.kind} ${last.name}` : null }
  },
})
