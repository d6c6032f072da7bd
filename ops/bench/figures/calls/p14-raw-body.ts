import { createHash, randomBytes } from 'node:crypto'
import { measureInTurns } from '../../call-time.ts'
import { buildFloorCall } from '../../calls.ts'
import type { Figure } from '../../figure.ts'
import { startFloorServer } from '../../floor/start.ts'
import type { Call } from '../../load/run.ts'
import { median } from '../../median.ts'
import { openStack, type Stack, verifyCall } from '../../stack.ts'

const BODY_BYTES = 3 * 2 ** 20

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
