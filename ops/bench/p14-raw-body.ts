import { randomBytes } from 'node:crypto'
import { AS_JSON, floorCall } from './calls.ts'
import type { Bench, Figure, Reading } from './figure.ts'
import { openFloor } from './floor.ts'
import { type Call, fire } from './load.ts'
import { median } from './median.ts'
import { timeOf } from './processor-time.ts'
import { openStack, type Stack, tryCall } from './stack.ts'

const BODY_BYTES = 3 * 2 ** 20
const CLIENTS = 2

/** A server's address and process, and what it is sent. */
interface Side {
  baseUrl: string
  pid: number
  call: Call
}

/**
 * All bodies carry the same bytes and end as a file; only the server's own process is counted. Our parser of JSON is
 * the better of the two, which makes the first ratio the harder one; the second is against the parser of Fastify.
 */
export default {
  id: 'P14',
  title: 'processor time of the api for a raw body of 3 MiB, over the same as base64 JSON',
  async measure(bench) {
    await using stack = await openStack(bench.home, { accounts: 1 })
    await using server = await openFloor(stack)
    const [raw, json] = await callsOf(stack)
    const ours = { baseUrl: stack.baseUrl, pid: stack.api.pid }
    const bare = { baseUrl: server.baseUrl, pid: server.role.pid, call: floorCall(json, '/keep') }
    const times = await timesInTurns(bench, [{ ...ours, call: raw }, { ...ours, call: json }, bare])
    const reading = (of: string, floor: number, limit: string): Reading => ({
      of,
      unit: 'ms of processor a call',
      ours: median(times[0]!),
      floor: median(times[floor]!),
      goal: { atMost: 0.3 },
      judged: 'ratio',
      limit,
      facts: { times },
    })
    return [
      reading('raw over our own base64 JSON', 1, 'beside the body both pay for the queue and for writing the file'),
      reading(
        'raw over base64 JSON in bare Fastify',
        2,
        'the bare server writes the file too, and has no queue to pay for',
      ),
    ]
  },
} satisfies Figure

async function callsOf(stack: Stack): Promise<[raw: Call, json: Call]> {
  const bytes = randomBytes(BODY_BYTES)
  const inline = JSON.stringify({ file: { inline: bytes.toString('base64') } })
  const common = { path: '/v1/utils/hash', keys: stack.keys }
  const raw = { ...common, headers: { 'Content-Type': 'application/octet-stream' }, body: bytes }
  const json = { ...common, headers: AS_JSON, body: inline }
  if ((await digestOf(stack, raw)) !== (await digestOf(stack, json))) {
    throw new Error('the two bodies did not arrive as the same bytes')
  }
  return [raw, json]
}

async function digestOf(stack: Stack, call: Call): Promise<string> {
  const { hashes } = (await (await tryCall(stack, call)).json()) as { hashes: { sha256: string } }
  return hashes.sha256
}

async function timesInTurns(bench: Bench, sides: readonly Side[]): Promise<number[][]> {
  const { rounds, seconds, warmUpSeconds } = bench.pace
  for (const side of sides) await timeACall(bench, side, warmUpSeconds)
  const times: number[][] = sides.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, side] of sides.entries()) times[index]!.push(await timeACall(bench, side, seconds))
  }
  return times
}

async function timeACall({ generator }: Bench, { baseUrl, pid, call }: Side, seconds: number): Promise<number> {
  const before = timeOf(pid)
  const { calls, failed } = await fire(generator, baseUrl, call, { clients: CLIENTS, seconds })
  if (failed > 0) throw new Error(`${failed} calls failed`)
  return ((timeOf(pid) - before) * 1_000) / calls
}
