import { randomBytes } from 'node:crypto'
import { AS_JSON } from './calls.ts'
import type { Bench, Figure } from './figure.ts'
import { type Call, fire } from './load.ts'
import { median } from './median.ts'
import { timeOf } from './processor-time.ts'
import { openStack, type Stack, tryCall } from './stack.ts'

const BODY_BYTES = 3 * 2 ** 20
const CLIENTS = 2

/** Both bodies carry the same bytes to the same operation and are laid into the same store; only the api is counted. */
export default {
  id: 'P14',
  title: 'processor time of the api for a raw body of 3 MiB, over the same as base64 JSON',
  async measure(bench) {
    await using stack = await openStack(bench.home, { accounts: 1 })
    const bytes = randomBytes(BODY_BYTES)
    const path = '/v1/utils/hash'
    const raw = { path, headers: { 'Content-Type': 'application/octet-stream' }, body: bytes, keys: stack.keys }
    const inline = JSON.stringify({ file: { inline: bytes.toString('base64') } })
    const json = { path, headers: AS_JSON, body: inline, keys: stack.keys }
    const digests = [await digestOf(stack, raw), await digestOf(stack, json)]
    if (digests[0] !== digests[1]) throw new Error('the two bodies did not arrive as the same bytes')
    const times = { raw: [] as number[], json: [] as number[] }
    for (const call of [json, raw]) await timeACall(bench, stack, call, bench.pace.warmUpSeconds)
    for (let round = 0; round < bench.pace.rounds; round++) {
      times.json.push(await timeACall(bench, stack, json, bench.pace.seconds))
      times.raw.push(await timeACall(bench, stack, raw, bench.pace.seconds))
    }
    return [
      {
        of: 'raw over base64 JSON, 3 MiB',
        unit: 'ms of processor a call',
        ours: median(times.raw),
        floor: median(times.json),
        goal: { atMost: 0.3 },
        judged: 'ratio',
        limit: 'both write the file to the store; JSON is read, parsed and decoded before',
        facts: times,
      },
    ]
  },
} satisfies Figure

async function digestOf(stack: Stack, call: Call): Promise<string> {
  const { hashes } = (await (await tryCall(stack, call)).json()) as { hashes: { sha256: string } }
  return hashes.sha256
}

async function timeACall({ generator }: Bench, stack: Stack, call: Call, seconds: number): Promise<number> {
  const before = timeOf(stack.api.pid)
  const { calls, failed } = await fire(generator, stack.baseUrl, call, { clients: CLIENTS, seconds })
  if (failed > 0) throw new Error(`${failed} calls failed`)
  return ((timeOf(stack.api.pid) - before) * 1_000) / calls
}
