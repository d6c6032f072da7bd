import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../config.ts'
import { startDevChain } from '../../dev-chain/start.ts'
import { buildDevChainVariables } from '../../dev-chain/wallets.ts'
import { findFreePort } from '../../free-ports.ts'
import { buildFloorCall, buildQueuedCall } from '../calls.ts'
import { compareWithFloor } from '../compare.ts'
import { formatCost } from '../cost.ts'
import type { Bench, Figure, Reading } from '../figure.ts'
import { type CallRun, countCalls, giveCredit, measureCalls, signCalls } from '../figures/payments/paid-calls.ts'
import type { Call } from '../load/run.ts'
import { median } from '../median.ts'
import { type Role, type RoleOptions, startRole } from '../role.ts'
import { createPhotograph } from '../samples.ts'
import { openStack, requireNoFailedJobs, type Stack, verifyCall } from '../stack.ts'
import { targetFloor, targetService } from '../targets.ts'
import { installPeers } from './packages.ts'
import { describePeer, type PeerName } from './settings.ts'

interface PeerServer extends AsyncDisposable {
  baseUrl: string
  role: Role
}

/** The same work by programs that people would use otherwise. Their packages are installed at the first use. */
export const PEER_FIGURES: readonly Figure[] = [
  {
    id: 'IPX',
    title: 'image/resize, 3 megapixels of JPEG to 400 px of WebP, 8 clients, beside ipx reading its file from disk',
    measure: bench =>
      measureBesidePeer(bench, { peer: 'ipx', goal: 0.85, unit: 'images/s', clients: 8, prepare: prepareResize }),
  },
  {
    id: 'PG-BOSS',
    title: 'a no-op job awaited by 64 callers, beside pg-boss',
    measure: bench =>
      measureBesidePeer(bench, { peer: 'pg-boss', goal: 1, unit: 'jobs/s', clients: 64, prepare: prepareJob }),
  },
  {
    id: 'X402-EXPRESS',
    title: 'calls of less than a cent paid by x402, beside @x402/express',
    measure: measurePaidCalls,
  },
]

interface Comparison {
  peer: PeerName
  goal: number
  unit: string
  clients: number
  prepare(stack: Stack): Promise<{ call: Call; peerCall: Call }>
}

async function measureBesidePeer(
  bench: Bench,
  { peer: name, goal, unit, clients, prepare }: Comparison,
): Promise<Reading[]> {
  await using stack = await openStack(bench.environment)
  const { call, peerCall } = await prepare(stack)
  await using peer = await startPeer(stack, 'ops/bench/peers/server.ts')
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
      limitedBy: `${formatCost(ours.cost)}; ${describePeer(name)}`,
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

async function startPeer({ databaseUrl, logPath, config }: Stack, script: RoleOptions['script']): Promise<PeerServer> {
  const port = String(await findFreePort())
  const peers = installPeers(loadConfig().dataDir)
  const folder = config.dataDir
  const env = { DATABASE_URL: databaseUrl, PORT: port, FOLDER: folder, PEERS: peers, NODE_ENV: 'production' }
  const role = await startRole({ script, env, logPath })
  return { baseUrl: `http://127.0.0.1:${port}`, role, [Symbol.asyncDispose]: () => role.stop() }
}

/** The peer settles nothing, while our own calls are drawn from a payment that was settled. */
async function measurePaidCalls(bench: Bench): Promise<Reading[]> {
  await using chain = await startDevChain({ port: 0 })
  await using stack = await openStack(bench.environment, {
    accounts: 1,
    env: buildDevChainVariables(chain.rpcUrl) as Record<string, string>,
    settings: { 'rate.wallet_per_minute': 100_000_000 },
  })
  await using peer = await startPeer(stack, 'ops/bench/peers/x402-server.ts')
  await giveCredit(stack)
  const sides = [
    { baseUrl: stack.baseUrl, pid: stack.api.pid },
    { baseUrl: peer.baseUrl, pid: peer.role.pid },
  ]
  const runs: CallRun[][] = [[], []]
  for (let round = 0; round <= bench.profile.rounds; round++) {
    for (const [index, side] of sides.entries()) {
      const run = await measureCalls(side, signCalls(countCalls(bench.profile)))
      if (round > 0) runs[index]!.push(run)
    }
  }
  const [ours, floor] = runs.map(side => median(side.map(({ perSecond }) => perSecond)))
  return [
    {
      label: 'paid calls, 8 clients',
      unit: 'calls/s',
      ours: ours!,
      floor: floor!,
      goal: { atLeast: 1 },
      judgedBy: 'ratio',
      limitedBy: `recovering the payer from the signature; ${describePeer('@x402/express')}`,
      facts: { runs },
    },
  ]
}
