import type { FastifyRequest } from 'fastify'
import { Problem } from '#kit'
import { hashToken } from '../../../ops/secrets.ts'
import { admitTrial } from '../../../sql/trial/trials.ts'
import type { ApiContext } from '../../context.ts'
import { billableOperation } from '../../intake/billable.ts'
import { performCall } from '../../intake/call-handler.ts'
import type { Caller } from '../../intake/identity/caller.ts'
import { requireRate } from '../../intake/identity/rate-limit.ts'
import { buildPageCall, keepSentFile, type SentFile } from '../../intake/page-call.ts'
import type { Answer } from '../../intake/reply/answer.ts'
import type { AnsweredCall } from '../../intake/reply/send.ts'
import type { AnswerSink } from '../../intake/reply/sink.ts'
import { Places } from '../../intake/x402/places.ts'
import { networksOf } from './networks.ts'
import { explainToVisitor } from './refusal.ts'
import { sealResult } from './token.ts'
import type { Try } from './tries.ts'

const PER_MINUTE = 6
const WAIT_MS = 5_000
/** Nobody has this key: it counts what trials cost. */
const KEY_PREFIX = 'svc_test_trials00'

const places = new Places()

interface Trial {
  attempt: Try
  values: Readonly<Record<string, string>>
  file: SentFile | undefined
}

/** Refuses a visitor whose network is too eager, before anything is read. */
export function requireTrial({ config, settings, limits }: ApiContext, { ip }: FastifyRequest): void {
  if (!settings.get('trial.enabled')) throw new Problem('TRIAL_OFF')
  const [network] = networksOf(ip, config.secret, settings.get('trial.per_network'))
  requireRate({ limits }, `trial:${network!.name}`, PER_MINUTE)
}

/**
 * Makes the call by the pipeline of every call, for the account of the house, and returns the token of its result. The price is
 * held and charged as ever.
 */
export async function runTrial(
  context: ApiContext,
  { request, reply }: { request: FastifyRequest; reply: AnswerSink },
  trial: Trial,
): Promise<string> {
  const { db, config, settings, catalog } = context
  const operation = catalog.operation(trial.attempt.operation)
  if (!operation) throw new Problem('NOT_FOUND')
  const billable = billableOperation(operation)
  context.availability.require(billable)
  return places.run(settings.get('trial.at_once'), WAIT_MS, async () => {
    const { accountId, keyHash } = await admitTrial(db, {
      keyHash: hashToken(config.secret, 'trial key', KEY_PREFIX),
      keyPrefix: KEY_PREFIX,
      networks: networksOf(request.ip, config.secret, settings.get('trial.per_network')),
      callCapMicros: settings.get('trial.call_micros'),
      dailyCapMicros: settings.get('trial.daily_micros'),
    })
    const caller: Caller = { accountId, credential: KEY_PREFIX, mode: 'test', via: 'key', keyHash }
    const inputKey = trial.file && (await keepSentFile(context, accountId, trial.file))
    const options = trial.attempt.options(trial.values)
    const body = { ...(inputKey !== undefined && { file: { inputKey } }), ...options, inlineOutput: 'never' }
    const call = buildPageCall(request, { caller, body, entry: trial.attempt.operation, isOperation: true })
    const id = await performCall(context, billable, { request: call, reply }, readId).catch(error => {
      throw error instanceof Problem ? explainToVisitor(error) : error
    })
    return sealResult(config.secret, { jobId: id, name: trial.attempt.name, inputKey, values: trial.values })
  })
}

function readId(_context: ApiContext, _call: AnsweredCall, answer: Answer): Promise<string> {
  if (answer.kind === 'result' || answer.kind === 'ticket') return Promise.resolve(answer.id)
  throw new Error(`a trial was answered with a ${answer.kind}`)
}
