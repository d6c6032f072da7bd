import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { migrate } from '../sql/migrate.ts'
import { until } from './back-off.ts'
import { devChainUrl, devChainVariables, paymentExample } from './chain/dev-wallets.ts'
import { type Config, ConfigError, childEnvironment, isRunByNpm, loadConfig } from './config.ts'
import { type EmbeddedPostgres, startPostgres } from './embedded/postgres.ts'
import { type Logger, openLog } from './log.ts'
import { SetUpError } from './set-up-error.ts'
import { type DevelopmentAccess, ensureFirstAccount } from './supervisor/first-account.ts'
import { checkPortIsFree } from './supervisor/free-port.ts'
import { type KeptProcess, keepProcess } from './supervisor/kept-process.ts'
import { endOrphans, rememberProcess } from './supervisor/orphans.ts'

const ORPHANS_END_WITHIN_MS = 10_000
const READY_WITHIN_MS = 60_000
const STOP_WITHIN_MS = 9_000
const PARENT_LOOK_MS = 500
/** Nobody there, not let in, or no such database: what whoever set DATABASE_URL can put right. */
const UNREACHABLE = /^(E[A-Z]+|28P01|28000|3D000)$/

const kept: KeptProcess[] = []
/** A promise, so that a stop in the middle of the start waits for what it is to stop. */
let starting: Promise<EmbeddedPostgres> | undefined
let isStopping = false

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop(0))
try {
  await start()
} catch (error) {
  if (!isStopping) await fail(error)
}

async function start(): Promise<void> {
  const config = loadConfig()
  const log = openLog({ logLevel: config.logLevel, name: 'start' })
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  followParent()
  await endOrphans(config.dataDir, ORPHANS_END_WITHIN_MS)
  if (!config.databaseUrl) starting = startPostgres({ dataDir: config.dataDir, log, patienceMs: 5_000 })
  const postgres = await starting
  await checkPortIsFree(config.host, config.port, 2_000)
  if (config.devChain) await checkPortIsFree('127.0.0.1', config.devChainPort, 2_000, 'DEV_CHAIN_PORT')
  const url = config.databaseUrl ?? postgres!.url
  await migrate(url).catch(explainDatabase)
  const access = postgres && (await ensureFirstAccount(url, config))
  if (isStopping) return
  startRoles(config, url, log)
  await untilHealthy(config)
  if (!isStopping) process.stdout.write(greeting(config, access))
}

function explainDatabase(error: Error & { code?: string }): never {
  if (!UNREACHABLE.test(error.code ?? '')) throw error
  throw new SetUpError(`The database of DATABASE_URL cannot be used: ${error.message}.`)
}

function startRoles(config: Config, url: string, log: Logger): void {
  const env = childEnvironment({
    ...(config.devChain ? devChainVariables(devChainUrl(config.devChainPort)) : {}),
    // Whoever tries it on a laptop can walk the whole way to a balance, with play money.
    ...(config.databaseUrl || config.stripe ? {} : { TEST_CHECKOUT: 'true' }),
    DATABASE_URL: url,
    DATA_DIR: config.dataDir,
    NODE_COMPILE_CACHE: join(config.dataDir, 'compile-cache'),
  })
  for (const [name, file] of [
    ['api', '../api/main.ts'],
    ['worker', '../workers/main.ts'],
    ...(config.devChain ? [['local chain', './chain/dev-chain-role.ts'] as const] : []),
  ] as const) {
    const script = fileURLToPath(new URL(file, import.meta.url))
    kept.push(keepProcess({ name, script, env, log, onStart: pid => rememberProcess(config.dataDir, script, pid) }))
  }
}

/** Both roles have said that they are ready, and the front door answers. */
async function untilHealthy({ host, port }: Config): Promise<void> {
  const target = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  const allReady = Promise.all(kept.map(({ ready }) => ready)).then(() => true)
  const health = async () => {
    const reply = await fetch(`http://${target}:${port}/health`, { signal: AbortSignal.timeout(5_000) }).catch(
      () => undefined,
    )
    return reply?.ok || isStopping || undefined
  }
  const late = sleep(READY_WITHIN_MS, false, { ref: false })
  const areReady = await Promise.race([allReady, late])
  const isHealthy = areReady && (await until(health, { withinMs: READY_WITHIN_MS, everyMs: 50 }))
  if (!isHealthy) throw new SetUpError('The service was not ready within a minute; the log above says why.')
}

function greeting({ publicUrl, dataDir, devChain }: Config, access: DevelopmentAccess | undefined): string {
  const head = `\ncoinop is ready.\n\n  base URL   ${publicUrl}\n  docs       ${publicUrl}/docs\n  dashboard  ${publicUrl}/sign-in\n`
  const paid = devChain
    ? `  Pay for a call without an account, on the local chain:\n\n${paymentExample(publicUrl)}\n`
    : ''
  if (!access) return `${head}  a key      npm run -s cli -- account create, account credit, key create\n\n${paid}`
  const call = [
    `curl -s ${publicUrl}/v1/utils/hash`,
    `-H 'Authorization: Bearer ${access.apiKey}'`,
    `-H 'Content-Type: application/json'`,
    `-d '{"text":"hello"}'`,
  ].join(' ')
  return `${head}  test key   ${access.apiKey}   (also in ${join(dataDir, 'dev.json')})\n\n  ${call}\n\n${paid}`
}

/** npm starts this through a shell that passes no signal on; when they are gone, so is the wish to run. */
function followParent(): void {
  if (!isRunByNpm()) return
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) void stop(0)
  }, PARENT_LOOK_MS).unref()
}

/** The roles first, then Postgres. A second signal does not wait. */
async function stop(exitCode: number): Promise<void> {
  if (isStopping) {
    for (const process of kept) process.kill()
    await (await embedded())?.kill()
    process.exit(1)
  }
  isStopping = true
  await Promise.all(kept.map(process => process.stop(STOP_WITHIN_MS)))
  await (await embedded())?.stop()
  process.exit(exitCode)
}

function embedded(): Promise<EmbeddedPostgres | undefined> | undefined {
  return starting?.catch(() => undefined)
}

async function fail(error: unknown): Promise<void> {
  const isExplained = error instanceof ConfigError || error instanceof SetUpError
  process.stderr.write(`coinop: ${isExplained ? error.message : (error as Error).stack}\n`)
  await stop(1)
}
