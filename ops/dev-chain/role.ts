import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../config.ts'
import { openLog } from '../log.ts'
import { recordProcess, stopOrphans } from '../supervisor/orphans.ts'
import { startDevChain } from './start.ts'

// Decision 0041: run the local chain under the name of Base Sepolia.

/** Runs the local chain under the supervisor. The chain starts empty each time and stores nothing. */
const config = loadConfig()
const log = openLog({ logLevel: config.logLevel, name: 'chain' })
const folder = join(config.dataDir, 'dev-chain')
mkdirSync(folder, { recursive: true })
await stopOrphans(folder, 0)

let isStopping = false
const starting = startDevChain({
  port: config.devChainPort,
  onStart: (program, pid) => recordProcess(folder, program, pid),
})
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.on(signal, () => void stop())

try {
  const chain = await starting
  log.info({ url: chain.rpcUrl }, 'local chain ready')
  process.send?.({ ready: true })
  await chain.ended
  if (!isStopping) log.warn('the local chain has exited')
} catch (error) {
  log.error({ err: error }, 'the local chain could not be started')
}
process.exit(isStopping ? 0 : 1)

async function stop(): Promise<void> {
  isStopping = true
  await (await starting.catch(() => undefined))?.stop()
  process.exit(0)
}
