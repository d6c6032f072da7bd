import { PEERS } from './packages.ts'

/** What is printed beside the figures: a peer that is set up badly proves nothing. */
export const IPX_SETTINGS = { threadsPerImage: 1 }

/** The shortest polling that pg-boss allows, beside its notification. */
export const BOSS_SETTINGS = {
  connections: 16,
  notify: true,
  localConcurrency: 4,
  batchSize: 64,
  burstWhenBatchFull: true,
  pollingIntervalSeconds: 0.5,
  notifyPollingIntervalSeconds: 0.5,
}

export type PeerName = 'ipx' | 'pg-boss' | '@x402/express'

const SETTINGS: Record<PeerName, string> = {
  ipx: `${IPX_SETTINGS.threadsPerImage} thread of sharp for each image, the file in a local folder`,
  'pg-boss': `${BOSS_SETTINGS.localConcurrency} workers with batches of ${BOSS_SETTINGS.batchSize}, woken by LISTEN and NOTIFY, each ${BOSS_SETTINGS.pollingIntervalSeconds} s at the latest; ${BOSS_SETTINGS.connections} connections; awaited in the same process`,
  '@x402/express': 'facilitator in the same process, which checks signatures with viem and settles nothing',
}

export function describePeer(name: PeerName): string {
  return `${name} ${PEERS[name]}: ${SETTINGS[name]}`
}
