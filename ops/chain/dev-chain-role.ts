import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../config.ts'
import { openLog } from '../log.ts'
import { endOrphans, rememberProcess } from '../supervisor/orphans.ts'
import { startDevChain } from './dev-chain.ts'

/** The local chain under the supervisor: it starts empty each time, and what it knew is gone with it. */
const config = loadConfig()
const log = openLog({ logLevel: config.logLevel, name: 'chain' })
const folder = join(config.dataDir, 'dev-chain')
mkdirSync(folder, { recursive: true })
await endOrphans(folder, 0)

let isStopping = false
const starting = startDevChain({
  port: config.devChainPort,
  onStart: (program, pid) => rememberProcess(folder, program, pid),
})
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.on(signal, () => void stop())

try {
  const chain = await starting
  log.info({ url: chain.rpcUrl }, 'local chain ready')
  process.send?.({ ready: true })
  await chain.ended
  if (!isStopping) log.warn('the local chain has ended')
} catch (error) {
  log.error({ err: error }, 'no local chain')
}
process.exit(isStopping ? 0 : 1)

async function stop(): Promise<void> {
  isStopping = true
  await (await starting.catch(() => undefined))?.stop()
  process.exit(0)
}
