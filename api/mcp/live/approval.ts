import { randomUUID, timingSafeEqual } from 'node:crypto'
import { formatUsd } from '#kit'
import { hashToken } from '../../../ops/secrets.ts'
import type { AskedPrice, AskPrice } from '../../intake/price-limit.ts'
import { isObject } from '../../intake/x402/payments.ts'
import type { McpExchange } from '../exchange.ts'
import { type Fields, metaOf } from '../message.ts'
import { META } from '../protocol.ts'
import { CallCancelled, type ToolRun } from './run.ts'
import { canShowForms } from './session.ts'

/** How long a user has to decide. */
const DECIDE_MS = 5 * 60_000
const QUESTION = 'price'

/** In the modern era a question is the result of a call, which is then made again with the answer. */
export class InputRequired extends Error {
  readonly result: object

  constructor(result: object) {
    super('input required')
    this.result = result
  }
}

/** How the user of this client is asked about a price; undefined if that cannot be done. */
export function approverOf(exchange: McpExchange, given: Fields, run: ToolRun): AskPrice | undefined {
  const { era, message, session, stream } = exchange
  if (era.isModern) {
    const canAsk = canShowForms(metaOf(message)[META.capabilities])
    return canAsk ? async price => decideModern(exchange, given, price) : undefined
  }
  if (!session?.hasForms || !stream) return undefined
  return async price => {
    const id = `${QUESTION}-${randomUUID()}`
    using answer = exchange.context.openCalls.waitFor(session, id)
    stream.send({ id, method: 'elicitation/create', params: describeQuestion(price) })
    const accepted = await Promise.race([answer.action, untilAborted(run.gone)])
    run.requireOpen()
    if (accepted === undefined) throw new CallCancelled()
    return accepted === 'accept'
  }
}

function describeQuestion({ name, amountMicros, limitMicros }: AskedPrice): object {
  const [amount, limit] = [amountMicros, limitMicros].map(formatUsd)
  return {
    message: `${name} may cost up to ${amount} USD, which is more than your limit of ${limit} USD. Allow this call?`,
    requestedSchema: { type: 'object', properties: {} },
  }
}

/** Undefined when nobody waits any more, or the time is up. */
function untilAborted(gone: AbortSignal): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  AbortSignal.any([gone, AbortSignal.timeout(DECIDE_MS)]).addEventListener('abort', () => resolve(undefined))
  if (gone.aborted) resolve(undefined)
  return promise
}

/** An answer counts for the price that was asked about, or a lower one, and for the same call of the same account. */
function decideModern(exchange: McpExchange, given: Fields, price: AskedPrice): boolean {
  const { inputResponses, requestState } = exchange.message.params
  const answer = isObject(inputResponses) ? inputResponses[QUESTION] : undefined
  if (isObject(answer) && isState(exchange, given, price, requestState)) return answer.action === 'accept'
  const params = { mode: 'form', ...describeQuestion(price) }
  const expiresMs = Date.now() + DECIDE_MS
  throw new InputRequired({
    resultType: 'input_required',
    inputRequests: { [QUESTION]: { method: 'elicitation/create', params } },
    requestState: makeState(exchange, given, { ...price, expiresMs }),
  })
}

type Asked = Pick<AskedPrice, 'name' | 'amountMicros' | 'accountId'> & { expiresMs: number }

function makeState({ context }: McpExchange, given: Fields, asked: Asked): string {
  const { name, amountMicros, accountId, expiresMs } = asked
  const facts = JSON.stringify([name, amountMicros.toString(), accountId, expiresMs, given])
  const signature = hashToken(context.config.secret, 'mcp-price', facts).toString('base64url')
  return `${amountMicros}.${expiresMs}.${signature}`
}

function isState(exchange: McpExchange, given: Fields, price: AskedPrice, state: unknown): boolean {
  const [, amount, expires] = /^(\d{1,15})\.(\d{1,15})\.[\w-]{43}$/.exec(String(state)) ?? []
  if (amount === undefined || Number(expires) < Date.now() || BigInt(amount) < price.amountMicros) return false
  const asked = { ...price, amountMicros: BigInt(amount), expiresMs: Number(expires) }
  return timingSafeEqual(Buffer.from(String(state)), Buffer.from(makeState(exchange, given, asked)))
}
