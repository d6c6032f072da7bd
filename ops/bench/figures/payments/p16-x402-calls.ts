import { startDevChain } from '../../../dev-chain/start.ts'
import { buildDevChainVariables } from '../../../dev-chain/wallets.ts'
import { buildHashCall } from '../../calls.ts'
import type { Bench, Figure } from '../../figure.ts'
import { median } from '../../median.ts'
import { openStack, type Stack, verifyCall } from '../../stack.ts'
import { type CallRun, countCalls, giveCredit, measureCalls, signCalls } from './paid-calls.ts'

const UNLIMITED_RATE = 100_000_000

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
    await giveCredit(stack)
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
  const calls = countCalls(profile)
  const runs: [CallRun[], CallRun[]] = [[], []]
  const key = { authorization: `Bearer ${stack.keys[0]}` }
  const server = { baseUrl: stack.baseUrl, pid: stack.api.pid }
  for (let round = 0; round <= profile.rounds; round++) {
    const signed = signCalls(calls)
    const both = [
      await measureCalls(server, signed),
      await measureCalls(
        server,
        signed.map(() => key),
      ),
    ] as const
    if (round > 0) for (const side of [0, 1] as const) runs[side].push(both[side])
  }
  return runs
}
