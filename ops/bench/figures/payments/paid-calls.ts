import { Agent, request } from 'node:http'
import { buildHashCall } from '../../calls.ts'
import type { BenchProfile } from '../../figure.ts'
import { readProcessTime } from '../../processor-time.ts'
import type { Stack } from '../../stack.ts'
import { encodePaymentHeader, signPayment } from './payer.ts'

const CLIENTS = 8
const CALLS = 3_000
/** Enough credit for all measured calls. */
const FIRST_PAYMENT = 100_000_000n
const CALL = buildHashCall({ keys: [] })

type Headers = Record<string, string>

export interface CallRun {
  perSecond: number
  /** Processor time of the server's process for each call, in milliseconds. */
  cpuMsPerCall: number
}

export function countCalls({ bulk }: BenchProfile): number {
  return bulk < 1 ? CALLS / 6 : CALLS
}

/** The headers of calls that are paid with one cent each, signed beforehand. */
export function signCalls(count: number): Headers[] {
  return Array.from({ length: count }, () => ({ 'payment-signature': encodePaymentHeader(signPayment(10_000n)) }))
}

/** Settles a payment on the chain that leaves credit, from which calls below a cent are drawn. */
export function giveCredit({ baseUrl }: Pick<Stack, 'baseUrl'>): Promise<void> {
  const headers = { 'payment-signature': encodePaymentHeader(signPayment(FIRST_PAYMENT)) }
  return sendCall(baseUrl, new Agent(), headers)
}

/** Sends one call for each set of headers, with `CLIENTS` calls in flight. */
export async function measureCalls(
  { baseUrl, pid }: { baseUrl: string; pid: number },
  headers: readonly Headers[],
): Promise<CallRun> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
  const pending = headers.values()
  const [startedAt, busyBefore] = [performance.now(), readProcessTime(pid)]
  const runClient = async () => {
    for (const next of pending) await sendCall(baseUrl, agent, next)
  }
  await Promise.all(Array.from({ length: CLIENTS }, runClient))
  const seconds = (performance.now() - startedAt) / 1_000
  agent.destroy()
  return {
    perSecond: headers.length / seconds,
    cpuMsPerCall: ((readProcessTime(pid) - busyBefore) * 1_000) / headers.length,
  }
}

function sendCall(baseUrl: string, agent: Agent, headers: Headers): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', agent, headers: { ...CALL.headers, ...headers } }
    const sent = request(baseUrl + CALL.path, options, reply => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk))
      reply.on('end', () => {
        if (reply.statusCode === 200) resolve()
        else reject(new Error(`${reply.statusCode}: ${Buffer.concat(chunks).toString().slice(0, 300)}`))
      })
    })
    sent.on('error', reject)
    sent.end(CALL.body)
  })
}
