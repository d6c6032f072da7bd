import { randomBytes } from 'node:crypto'
import { buildFloorCall, JSON_HEADERS } from '../../calls.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import { startFloorServer } from '../../floor/start.ts'
import { type Call, sendBurst } from '../../load/run.ts'
import { median } from '../../median.ts'
import { readProcessTime } from '../../processor-time.ts'
import { openStack, type Stack, verifyCall } from '../../stack.ts'

const BODY_BYTES = 3 * 2 ** 20
const CLIENTS = 2

/** A server's address, its process and the call it is sent. */
interface MeasuredServer {
  baseUrl: string
  pid: number
  call: Call
}

/**
 * All bodies carry the same bytes and end as a file; only the server's own process is counted. The first ratio compares
 * with our own JSON parser, which is faster; the second with Fastify's.
 */
export default {
  id: 'P14',
  title: 'processor time of the api for a raw body of 3 MiB, over the same as base64 JSON',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { accounts: 1 })
    await using server = await startFloorServer(stack)
    const [raw, json] = await buildCalls(stack)
    const ours = { baseUrl: stack.baseUrl, pid: stack.api.pid }
    const bare = { baseUrl: server.baseUrl, pid: server.role.pid, call: buildFloorCall(json, '/keep') }
    const times = await measureInTurns(bench, [{ ...ours, call: raw }, { ...ours, call: json }, bare])
    const reading = (label: string, floor: number, limitedBy: string): Reading => ({
      label,
      unit: 'ms of CPU per call',
      ours: median(times[0]!),
      floor: median(times[floor]!),
      goal: { atMost: 0.3 },
      judgedBy: 'ratio',
      limitedBy,
      facts: { times },
    })
    return [
      reading('raw over our own base64 JSON', 1, 'besides the body, both also queue a job and write the file'),
      reading('raw over base64 JSON in bare Fastify', 2, 'the bare server also writes the file, but queues no job'),
    ]
  },
} satisfies Figure

async function buildCalls(stack: Stack): Promise<[raw: Call, json: Call]> {
  const bytes = randomBytes(BODY_BYTES)
  const inline = JSON.stringify({ file: { inline: bytes.toString('base64') } })
  const common = { path: '/v1/utils/hash', keys: stack.keys }
  const raw = { ...common, headers: { 'Content-Type': 'application/octet-stream' }, body: bytes }
  const json = { ...common, headers: JSON_HEADERS, body: inline }
  if ((await callForDigest(stack, raw)) !== (await callForDigest(stack, json))) {
    throw new Error('the two bodies did not arrive as the same bytes')
  }
  return [raw, json]
}

async function callForDigest(stack: Stack, call: Call): Promise<string> {
  const { hashes } = (await (await verifyCall(stack, call)).json()) as { hashes: { sha256: string } }
  return hashes.sha256
}

async function measureInTurns(bench: Bench, servers: readonly MeasuredServer[]): Promise<number[][]> {
  const { rounds, seconds, warmUpSeconds } = bench.profile
  for (const server of servers) await measureCallTime(bench, server, warmUpSeconds)
  const times: number[][] = servers.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, side] of servers.entries()) times[index]!.push(await measureCallTime(bench, side, seconds))
  }
  return times
}

async function measureCallTime(
  { generator }: Bench,
  { baseUrl, pid, call }: MeasuredServer,
  seconds: number,
): Promise<number> {
  const before = readProcessTime(pid)
  const { calls, failed } = await sendBurst(generator, baseUrl, call, { clients: CLIENTS, seconds })
  if (failed > 0) throw new Error(`${failed} calls failed`)
  return ((readProcessTime(pid) - before) * 1_000) / calls
}
