import { Type } from 'typebox'
import { newId, Problem, perCall } from '#kit'
import { type LockView, wantLock } from '../../../../sql/coordination/locks.ts'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import { findName } from '../name.ts'
import { CHANNEL_ERRORS, HOLD_TOKEN, InChannel, Label, Lock, NameParam, WaitSeconds } from '../schema.ts'

export default route({
  at: 'POST /v1/bridge/locks/{name}',
  summary: 'Take a lock, so that only one agent does a thing at a time.',
  keywords:
    'mutex, distributed lock, leader election, only one at a time, exclusive access, fencing token, semaphore, only one worker runs a job, run a job once, critical section, lock between accounts, lock for agents of others, take a lock so that nobody else does it, at most two workers at a time',
  description:
    'For at most two at a time, take one of two locks. Give the `fence` to whatever the lock protects: a store that refuses a fence below the highest it has seen is safe from a holder whose time was over without its knowing. Callers that wait get the lock in the order in which they came to this server.',
  auth: BILLABLE_AUTH,
  params: NameParam,
  body: Type.Object(
    {
      ttlSeconds: Type.Integer({
        minimum: 1,
        maximum: 3_600,
        default: 30,
        description: 'When it is free again, unless it is renewed.',
      }),
      owner: Type.Optional(Label('Shown to others who want it.')),
      waitSec: WaitSeconds(30),
      channel: InChannel,
    },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  reply: {
    status: 201,
    schema: Type.Object({
      id: Type.String({ format: 'uuid' }),
      ...Lock.properties,
      token: Type.String({ description: 'Renews and releases this hold.' }),
    }),
  },
  price: perCall('0.001'),
  settles: true,
  limitSeconds: 60,
  errors: [
    ...(['INVALID_PARAM', 'NOT_FOUND', ...CHANNEL_ERRORS] as const),
    ...(['LOCK_HELD', 'TOO_MANY_NAMES', 'TOO_MANY_WAITS', 'TIME_LIMIT_EXCEEDED'] as const),
  ],
  examples: [{ title: 'For a minute', input: { ttlSeconds: 60, owner: 'agent-7' } }],
  async handle({ caller, request, params, body, job, reply }, context) {
    const { config, longPolls, db, locks, settings } = context
    const { accountId, name } = await findName(context, { caller, request, channel: body.channel, ...params }, 'write')
    const id = newId()
    const tokenHash = HOLD_TOKEN.hash(config.secret, HOLD_TOKEN.derive(config.secret, id))
    const hold = { id, accountId, name, tokenHash, owner: body.owner, seconds: body.ttlSeconds }
    const options = {
      accountId: job!.accountId,
      seconds: body.waitSec,
      reply,
      max: settings.get('rate.waits_per_account'),
    }
    const acquire = () => locks.acquire(job!, hold, settings.get('coordination.max_names')).catch(giveRefusal)
    let isWanted = body.waitSec === 0
    const found = await longPolls.inTurnUntil<LockView | Problem>(`lock ${accountId} ${name}`, options, async () => {
      let taken = await acquire()
      if (taken instanceof Problem && !isWanted) {
        await wantLock(db, accountId, name, body.waitSec)
        isWanted = true
        taken = await acquire()
      }
      if (taken instanceof Problem)
        return { found: taken, isFinal: false, changesInMs: Number(taken.hints.retryAfterMs) }
      return { found: taken, isFinal: true, changesInMs: 0 }
    })
    if (found instanceof Problem) throw found
    return found
  },
  reveal(result, { config }) {
    return { ...(result as object), token: HOLD_TOKEN.derive(config.secret, (result as { id: string }).id) }
  },
})

function giveRefusal(error: unknown): Problem {
  if (error instanceof Problem && error.code === 'LOCK_HELD') return error
  throw error
}
