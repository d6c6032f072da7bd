import { Agent, request } from 'node:http'
import { startDevChain } from '../chain/dev-chain.ts'
import { devChainVariables } from '../chain/dev-wallets.ts'
import { hashCall } from './calls.ts'
import type { Bench, Figure } from './figure.ts'
import { median } from './median.ts'
import { paymentHeader, signedPayment } from './payer.ts'
import { timeOf } from './processor-time.ts'
import { openStack, type Stack, tryCall } from './stack.ts'

const CLIENTS = 8
const CALLS = 3_000
/** So much credit that every measured call is drawn from it. */
const FIRST_PAYMENT = 100_000_000n
const NO_LIMIT = 100_000_000

type Headers = Record<string, string>

interface Pass {
  perSecond: number
  apiMs: number
}

/** Both sides are the same call, asked by the same client; signing is done beforehand. */
export default {
  id: 'P16',
  title: 'calls below a cent paid by x402, beside the same calls by API key',
  async measure(bench) {
    await using chain = await startDevChain({ port: 0 })
    const env = devChainVariables(chain.rpcUrl) as Record<string, string>
    await using stack = await openStack(bench.home, {
      accounts: 1,
      env,
      settings: { 'rate.wallet_per_minute': NO_LIMIT },
    })
    await tryCall(stack, hashCall(stack))
    await ask(stack, new Agent(), { 'payment-signature': paymentHeader(signedPayment(FIRST_PAYMENT)) })
    const [paid, keyed] = await passesInTurns(bench, stack)
    const rate = (passes: Pass[]) => median(passes.map(({ perSecond }) => perSecond))
    const limit = 'the payer is found in the signature, the nonce is written once more, the receipt is made'
    const goal = { atLeast: 0.5 }
    const facts = { paid, keyed }
    return [
      {
        of: 'x402 over key',
        unit: 'calls/s',
        ours: rate(paid),
        floor: rate(keyed),
        goal,
        judged: 'ratio',
        limit,
        facts,
      },
    ]
  },
} satisfies Figure

async function passesInTurns({ pace }: Bench, stack: Stack): Promise<[paid: Pass[], keyed: Pass[]]> {
  const calls = pace.bulk < 1 ? CALLS / 6 : CALLS
  const passes: [Pass[], Pass[]] = [[], []]
  const key = { authorization: `Bearer ${stack.keys[0]}` }
  for (let round = 0; round <= pace.rounds; round++) {
    const signed = Array.from({ length: calls }, () => ({ 'payment-signature': paymentHeader(signedPayment(10_000n)) }))
    const both = [
      await pass(stack, signed),
      await pass(
        stack,
        signed.map(() => key),
      ),
    ] as const
    if (round > 0) for (const side of [0, 1] as const) passes[side].push(both[side])
  }
  return passes
}

/** Every set of headers once, so many at a time. */
async function pass(stack: Stack, headers: readonly Headers[]): Promise<Pass> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
  const waiting = headers.values()
  const [begun, busy] = [performance.now(), timeOf(stack.api.pid)]
  const client = async () => {
    for (const next of waiting) await ask(stack, agent, next)
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  const seconds = (performance.now() - begun) / 1_000
  agent.destroy()
  return { perSecond: headers.length / seconds, apiMs: ((timeOf(stack.api.pid) - busy) * 1_000) / headers.length }
}

function ask(stack: Stack, agent: Agent, headers: Headers): Promise<void> {
  const call = hashCall(stack)
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', agent, headers: { ...call.headers, ...headers } }
    const sent = request(stack.baseUrl + call.path, options, reply => {
      const said: Buffer[] = []
      reply.on('data', (chunk: Buffer) => said.push(chunk))
      reply.on('end', () => {
        if (reply.statusCode === 200) resolve()
        else reject(new Error(`${reply.statusCode}: ${Buffer.concat(said).toString().slice(0, 300)}`))
      })
    })
    sent.on('error', reject)
    sent.end(call.body)
  })
}
