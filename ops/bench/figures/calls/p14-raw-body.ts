import { createHash, randomBytes } from 'node:crypto'
import { buildFloorCall } from '../../calls.ts'
import type { Bench, Figure } from '../../figure.ts'
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

/** Both servers receive the same bytes, write them to a file and commit; only their own processes are counted. */
export default {
  id: 'P14',
  title: 'processor time of the api for a raw body of 3 MiB, over the same upload to a bare Fastify',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { accounts: 1 })
    await using server = await startFloorServer(stack)
    const call = await buildUpload(stack)
    const [ours, floor] = await measureInTurns(bench, [
      { baseUrl: stack.baseUrl, pid: stack.api.pid, call },
      { baseUrl: server.baseUrl, pid: server.role.pid, call: buildFloorCall(call, '/upload') },
    ])
    return [
      {
        label: 'raw body over bare upload',
        unit: 'ms of CPU per call',
        ours: median(ours!),
        floor: median(floor!),
        goal: { atMost: 1.4 },
        judgedBy: 'ratio',
        limitedBy: 'reading the body from the socket and writing the file, which both do; ours also queues a job',
        facts: { ours, floor },
      },
    ]
  },
} satisfies Figure

async function buildUpload(stack: Stack): Promise<Call> {
  const body = randomBytes(BODY_BYTES)
  const headers = { 'Content-Type': 'application/octet-stream' }
  const call = { path: '/v1/utils/hash', keys: stack.keys, headers, body }
  const { hashes } = (await (await verifyCall(stack, call)).json()) as { hashes: { sha256: string } }
  if (hashes.sha256 !== createHash('sha256').update(body).digest('hex')) throw new Error('the bytes did not arrive')
  return call
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
