import { Agent, request } from 'node:http'
import { startDevChain } from '../../../dev-chain/start.ts'
import { buildDevChainVariables } from '../../../dev-chain/wallets.ts'
import { buildHashCall } from '../../calls.ts'
import type { Bench, Figure } from '../../figure.ts'
import { median } from '../../median.ts'
import { readProcessTime } from '../../processor-time.ts'
import { openStack, type Stack, verifyCall } from '../../stack.ts'
import { encodePaymentHeader, signPayment } from './payer.ts'

const CLIENTS = 8
const CALLS = 3_000
/** Enough credit for all measured calls. */
const FIRST_PAYMENT = 100_000_000n
const UNLIMITED_RATE = 100_000_000

type Headers = Record<string, string>

interface CallRun {
  perSecond: number
  apiMsPerCall: number
}

/** Both are the same call by the same client; the payments are signed beforehand. */
export default {
  id: 'P16',
  title: 'calls below a cent paid by x402, beside the same calls by API key',
  async measure(bench) {
    await using chain = await startDevChain({ port: 0 })
    const env = buildDevChainVariables(chain.rpcUrl) as Record<string, string>
    await using stack = await openStack(bench.environment, {
      accounts: 1,
      env,
      settings: { 'rate.wallet_per_minute': UNLIMITED_RATE },
    })
    await verifyCall(stack, buildHashCall(stack))
    await sendCall(stack, new Agent(), { 'payment-signature': encodePaymentHeader(signPayment(FIRST_PAYMENT)) })
    const [paid, keyed] = await measureInTurns(bench, stack)
    const rate = (runs: CallRun[]) => median(runs.map(({ perSecond }) => perSecond))
    const limitedBy = 'recovering the payer from the signature, recording the nonce, building the receipt'
    const goal = { atLeast: 0.5 }
    const facts = { paid, keyed }
    return [
      {
        label: 'x402 over key',
        unit: 'calls/s',
        ours: rate(paid),
        floor: rate(keyed),
        goal,
        judgedBy: 'ratio',
        limitedBy,
        facts,
      },
    ]
  },
} satisfies Figure

async function measureInTurns({ profile }: Bench, stack: Stack): Promise<[paid: CallRun[], keyed: CallRun[]]> {
  const calls = profile.bulk < 1 ? CALLS / 6 : CALLS
  const runs: [CallRun[], CallRun[]] = [[], []]
  const key = { authorization: `Bearer ${stack.keys[0]}` }
  for (let round = 0; round <= profile.rounds; round++) {
    const signed = Array.from({ length: calls }, () => ({
      'payment-signature': encodePaymentHeader(signPayment(10_000n)),
    }))
    const both = [
      await measureRun(stack, signed),
      await measureRun(
        stack,
        signed.map(() => key),
      ),
    ] as const
    if (round > 0) for (const side of [0, 1] as const) runs[side].push(both[side])
  }
  return runs
}

/** Sends one call for each set of headers, with `CLIENTS` calls in flight. */
async function measureRun(stack: Stack, headers: readonly Headers[]): Promise<CallRun> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
  const pending = headers.values()
  const [startedAt, busyBefore] = [performance.now(), readProcessTime(stack.api.pid)]
  const runClient = async () => {
    for (const next of pending) await sendCall(stack, agent, next)
  }
  await Promise.all(Array.from({ length: CLIENTS }, runClient))
  const seconds = (performance.now() - startedAt) / 1_000
  agent.destroy()
  return {
    perSecond: headers.length / seconds,
    apiMsPerCall: ((readProcessTime(stack.api.pid) - busyBefore) * 1_000) / headers.length,
  }
}

function sendCall(stack: Stack, agent: Agent, headers: Headers): Promise<void> {
  const call = buildHashCall(stack)
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', agent, headers: { ...call.headers, ...headers } }
    const sent = request(stack.baseUrl + call.path, options, reply => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk))
      reply.on('end', () => {
        if (reply.statusCode === 200) resolve()
        else reject(new Error(`${reply.statusCode}: ${Buffer.concat(chunks).toString().slice(0, 300)}`))
      })
    })
    sent.on('error', reject)
    sent.end(call.body)
  })
}
