import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../config.ts'
import { buildFloorCall, buildQueuedCall } from '../calls.ts'
import { compareWithFloor } from '../compare.ts'
import { formatCost } from '../cost.ts'
import type { Bench, Figure, Reading } from '../figure.ts'
import type { Call } from '../load/run.ts'
import { type Role, startRole } from '../role.ts'
import { createPhotograph } from '../samples.ts'
import { findFreePort, openStack, requireNoFailedJobs, type Stack, verifyCall } from '../stack.ts'
import { targetFloor, targetService } from '../targets.ts'
import { installPeers } from './packages.ts'

interface PeerServer extends AsyncDisposable {
  baseUrl: string
  role: Role
}

/** The same work by programs that people would use otherwise. Their packages are installed at the first use. */
export const PEER_FIGURES: readonly Figure[] = [
  {
    id: 'IPX',
    title: 'image/resize, 3 megapixels of JPEG to 400 px of WebP, 8 clients, beside ipx reading its file from disk',
    measure: bench => measureBesidePeer(bench, { goal: 0.95, unit: 'images/s', clients: 8, prepare: prepareResize }),
  },
  {
    id: 'PG-BOSS',
    title: 'a no-op job awaited by 64 callers, beside pg-boss',
    measure: bench => measureBesidePeer(bench, { goal: 5, unit: 'jobs/s', clients: 64, prepare: prepareJob }),
  },
]

interface Comparison {
  goal: number
  unit: string
  clients: number
  prepare(stack: Stack): Promise<{ call: Call; peerCall: Call }>
}

async function measureBesidePeer(bench: Bench, { goal, unit, clients, prepare }: Comparison): Promise<Reading[]> {
  await using stack = await openStack(bench.environment)
  const { call, peerCall } = await prepare(stack)
  await using peer = await startPeers(stack)
  await verifyCall(stack, call)
  const sides = {
    ours: targetService(bench.environment, stack, call),
    floor: targetFloor(bench.environment, peer, peerCall),
  }
  const { ours, floor } = await compareWithFloor(bench, sides, clients)
  await requireNoFailedJobs(stack)
  return [
    {
      label: `${call.path}, ${clients} clients`,
      unit,
      ours: ours.perSecond,
      floor: floor.perSecond,
      goal: { atLeast: goal },
      judgedBy: 'ratio',
      limitedBy: formatCost(ours.cost),
      facts: { ours, floor },
    },
  ]
}

async function prepareResize(stack: Stack): Promise<{ call: Call; peerCall: Call }> {
  const body = await createPhotograph()
  writeFileSync(join(stack.config.dataDir, 'photograph.jpg'), body)
  const headers = { 'Content-Type': 'image/jpeg', Accept: 'image/webp' }
  const call = { path: '/v1/image/resize?width=400&format=webp', headers, body, keys: stack.keys.slice(0, 8) }
  return { call, peerCall: { ...call, path: '/resize', headers: {}, body: '' } }
}

async function prepareJob(stack: Stack): Promise<{ call: Call; peerCall: Call }> {
  const call = buildQueuedCall(stack)
  return { call, peerCall: buildFloorCall(call, '/job') }
}

async function startPeers({ databaseUrl, logPath, config }: Stack): Promise<PeerServer> {
  const port = String(await findFreePort())
  const peers = installPeers(loadConfig().dataDir)
  const env = { DATABASE_URL: databaseUrl, PORT: port, FOLDER: config.dataDir, PEERS: peers }
  const role = await startRole({ script: 'ops/bench/peers/server.ts', env, logPath })
  return { baseUrl: `http://127.0.0.1:${port}`, role, [Symbol.asyncDispose]: () => role.stop() }
}
