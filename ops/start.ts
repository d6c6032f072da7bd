import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { RestoreUnfinished } from '../sql/installation/restoring.ts'
import { DatabaseTooOld, migrate } from '../sql/migrate.ts'
import { pollUntil } from './back-off.ts'
import { buildChildEnvironment, type Config, ConfigError, isRunByNpm, loadConfig } from './config.ts'
import { createFolder } from './data-folder.ts'
import { buildDevChainVariables, formatDevChainUrl, formatPaymentExample } from './dev-chain/wallets.ts'
import { lockDataDir } from './embedded/data-dir-lock.ts'
import { type EmbeddedPostgres, startPostgres } from './embedded/postgres.ts'
import { describeRole, type FoundModel, findEmbedderModel } from './embedder/find.ts'
import { type Logger, openLog } from './log.ts'
import { reachOwn } from './loopback.ts'
import { SetUpError } from './set-up-error.ts'
import { type DevelopmentAccess, ensureFirstAccount } from './supervisor/first-account.ts'
import { checkPortIsFree, checkPortsDiffer, isPortTaken } from './supervisor/free-port.ts'
import { recordProcess, stopOrphans } from './supervisor/orphans.ts'
import { Progress } from './supervisor/progress.ts'
import { type SupervisedProcess, superviseProcess } from './supervisor/supervised-process.ts'
import { findAffectedRoles, type RoleName, watchSources } from './supervisor/watch-sources.ts'
import { providerSettings } from './variables.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const ORPHAN_TIMEOUT_MS = 10_000
const LOCK_TIMEOUT_MS = 5_000
const READY_TIMEOUT_MS = 300_000
const STOP_TIMEOUT_MS = 9_000
const PARENT_POLL_MS = 500
/** Unreachable, wrong password or no such database: errors that the operator can correct in DATABASE_URL. */
const SETUP_ERROR_CODES = /^(E[A-Z]+|28P01|28000|3D000)$/

const STEPS = {
  dataDir: { doing: 'preparing the data folder', done: 'the data folder is ready' },
  postgres: { doing: 'starting Postgres', done: 'Postgres is running' },
  schema: { doing: 'bringing the database to this release', done: 'the database is up to date' },
} as const

/** Of providers that only workers call. */
const WORKER_SECRETS = providerSettings.flatMap(({ secretsOf }) => secretsOf?.worker ?? [])
/** Secrets of providers that only the api calls. */
const API_SECRETS = providerSettings.flatMap(({ secretsOf }) => secretsOf?.api ?? [])

const roles: SupervisedProcess[] = []
/** A promise, so that a stop during the start waits for the Postgres that it has to stop. */
let startingPostgres: Promise<EmbeddedPostgres> | undefined
let isStopping = false
const startAborted = new AbortController()
const progress = new Progress()

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop(0))
try {
  await start()
} catch (error) {
  if (!isStopping) await fail(error)
}

async function start(): Promise<void> {
  const config = loadConfig()
  const model = config.embedder && findEmbedderModel(config.embedder)
  const log = openLog({ logLevel: config.logLevel, name: 'start' })
  stopWithParent()
  checkPortsDiffer(config)
  await progress.run(STEPS.dataDir, () => prepareDataDir(config.dataDir))
  // Before a database is set up, which takes a while and stays.
  await checkPortIsFree(config.host, config.port, 2_000)
  if (config.hasDevChain) await checkPortIsFree('127.0.0.1', config.devChainPort, 2_000, 'DEV_CHAIN_PORT')
  if (config.console) await checkPortIsFree(config.console.host, config.console.port, 2_000, 'CONSOLE_PORT')
  if (model) await checkPortIsFree(config.embedder!.host, config.embedder!.port, 2_000, 'EMBEDDING_PORT')
  const taken = await findTakenPorts(config)
  const postgres = config.databaseUrl ? undefined : await progress.run(STEPS.postgres, () => startDatabase(config, log))
  const url = config.databaseUrl ?? postgres!.url
  await progress.run(STEPS.schema, () => migrate(url).catch(explainDatabaseError))
  const access = postgres && (await ensureFirstAccount(url, config))
  if (isStopping) return
  startRoles(config, { url, log, model })
  if (process.argv.includes('--watch')) watchSources(ROOT, paths => void restartAffected(paths, url, log))
  await waitUntilHealthy(config)
  if (!isStopping) process.stdout.write(formatGreeting(config, { access, taken }))
}

async function prepareDataDir(dataDir: string): Promise<void> {
  try {
    createFolder(dataDir)
    // What a service that runs has started is no orphan.
    await lockDataDir(dataDir, { timeoutMs: LOCK_TIMEOUT_MS, purpose: 'service' })
    await stopOrphans(dataDir, ORPHAN_TIMEOUT_MS)
  } catch (error) {
    if (error instanceof SetUpError) throw error
    throw new SetUpError(`DATA_DIR must be a folder this user may write to (${(error as Error).message}).`)
  }
}

function startDatabase({ dataDir }: Config, log: Logger): Promise<EmbeddedPostgres> {
  startingPostgres = startPostgres({ dataDir, log, lockTimeoutMs: LOCK_TIMEOUT_MS, signal: startAborted.signal })
  return startingPostgres
}

function explainDatabaseError(error: Error & { code?: string }): never {
  if (error instanceof DatabaseTooOld || error instanceof RestoreUnfinished) throw new SetUpError(error.message)
  if (!SETUP_ERROR_CODES.test(error.code ?? '')) throw error
  throw new SetUpError(`The database of DATABASE_URL cannot be used: ${error.message}.`)
}

interface RoleOptions {
  url: string
  log: Logger
  /** What embeds texts, in a role of its own. */
  model: FoundModel | undefined
}

function startRoles(config: Config, { url, log, model }: RoleOptions): void {
  const env = buildChildEnvironment({
    ...(config.hasDevChain ? buildDevChainVariables(formatDevChainUrl(config.devChainPort)) : {}),
    // With the embedded Postgres, top-ups can be tried with test money from sign-in to balance.
    ...(config.databaseUrl || config.stripe ? {} : { TEST_CHECKOUT: 'true' }),
    DATABASE_URL: url,
    DATA_DIR: config.dataDir,
    NODE_COMPILE_CACHE: join(config.dataDir, 'compile-cache'),
  })
  // The key of a provider is for the process that calls it: the api calls those of places and routes, workers all others.
  const without = (names: readonly string[]) => ({
    ...env,
    ...Object.fromEntries(names.map(name => [name, undefined])),
  })
  const withoutSecrets = without([...WORKER_SECRETS, ...API_SECRETS])
  const embedder = model && describeRole(config.embedder!, model)
  const environments = {
    api: { ...without(WORKER_SECRETS), ...embedder?.forCallers },
    worker: { ...without(API_SECRETS), ...embedder?.forCallers },
    embedder: { ...withoutSecrets, ...embedder?.own },
    console: withoutSecrets,
    'local chain': withoutSecrets,
  }
  const scripts: [name: RoleName, file: string][] = [
    ['api', 'api/main.ts'],
    ['worker', 'workers/main.ts'],
  ]
  if (config.hasDevChain) scripts.push(['local chain', 'ops/dev-chain/role.ts'])
  if (config.console) scripts.push(['console', 'api/console/main.ts'])
  if (embedder) scripts.push(['embedder', 'ops/embedder/role.ts'])
  for (const [name, file] of scripts) {
    const script = join(ROOT, file)
    const onStart = (pid: number) => recordProcess(config.dataDir, script, pid)
    roles.push(superviseProcess({ name, script, env: environments[name], log, onStart }))
  }
}

/** For `npm run dev`: changed SQL is applied to the database before the roles that use it restart. */
async function restartAffected(paths: readonly string[], url: string, log: Logger): Promise<void> {
  const names = new Set(paths.flatMap(findAffectedRoles))
  const affected = roles.filter(({ name }) => names.has(name))
  if (affected.length === 0 || isStopping) return
  log.info({ paths, roles: affected.map(({ name }) => name) }, 'restarting after a change')
  try {
    if (paths.some(path => path.endsWith('.sql'))) await migrate(url)
    await Promise.all(affected.map(role => role.restart(STOP_TIMEOUT_MS)))
  } catch (error) {
    log.error({ err: error }, 'the changed SQL cannot be applied; nothing was restarted')
  }
}

/** Waits until every role has reported that it is ready and the api answers its health route. */
async function waitUntilHealthy({ host, port }: Config): Promise<void> {
  const awaitRole = ({ name, ready }: SupervisedProcess) =>
    progress.run({ doing: `starting the ${name}`, done: `the ${name} is ready` }, () => ready)
  const allReady = Promise.all(roles.map(awaitRole)).then(() => true)
  const fetchHealth = async () => {
    const reply = await fetch(`http://${reachOwn(host)}:${port}/health`, { signal: AbortSignal.timeout(5_000) }).catch(
      () => undefined,
    )
    return reply?.ok || isStopping || undefined
  }
  const timeout = sleep(READY_TIMEOUT_MS, false, { ref: false })
  const areReady = await Promise.race([allReady, timeout])
  const isHealthy = areReady && (await pollUntil(fetchHealth, { withinMs: READY_TIMEOUT_MS, everyMs: 50 }))
  if (!isHealthy)
    throw new SetUpError('The service was not ready within five minutes; see the log above for the reason.')
}

interface Found {
  access: DevelopmentAccess | undefined
  /** Ports of metrics that other programs have. */
  taken: readonly number[]
}

function formatGreeting(config: Config, { access, taken }: Found): string {
  const { publicUrl, dataDir, hasDevChain } = config
  const admin = config.console
    ? `  console    ${config.console.url}   (npm run -s cli -- operator create NAME --role full)\n`
    : ''
  const head = `\ncoinop is ready.\n\n  base URL   ${publicUrl}\n  ports      ${listPorts(config, taken)}\n  docs       ${publicUrl}/docs\n  dashboard  ${publicUrl}/sign-in\n${admin}`
  const paid = hasDevChain
    ? `  Pay for a call without an account, on the local chain:\n\n${formatPaymentExample(publicUrl)}\n`
    : ''
  if (!access) return `${head}  a key      npm run -s cli -- account create, account credit, key create\n\n${paid}`
  const call = [
    `curl -s ${publicUrl}/v1/utils/hash`,
    `-H 'Authorization: Bearer ${access.apiKey}'`,
    `-H 'Content-Type: application/json'`,
    `-d '{"text":"hello"}'`,
  ].join(' ')
  return `${head}             ${describeOwner(access)}\n  test key   ${access.apiKey}   (also in ${join(dataDir, 'dev.json')})\n\n  ${call}\n\n${paid}`
}

async function findTakenPorts({ adminHost, adminPort, workerAdminPort }: Config): Promise<number[]> {
  const ports = [adminPort, workerAdminPort]
  const areTaken = await Promise.all(ports.map(port => isPortTaken(adminHost, port)))
  return ports.filter((_port, index) => areTaken[index])
}

function listPorts(
  { port, adminPort, workerAdminPort, hasDevChain, devChainPort, embedder, ...config }: Config,
  taken: readonly number[],
): string {
  const metrics = `${port} (the service), ${adminPort} and ${workerAdminPort} (metrics of api and worker)`
  const chain = hasDevChain ? `, ${devChainPort} (local chain)` : ''
  const hasEmbedder = roles.some(({ name }) => name === 'embedder')
  const operators = config.console ? `, ${config.console.port} (console)` : ''
  const isWrong =
    taken.length > 0 ? `; another program has ${taken.join(' and ')}, so no metrics there until it ends` : ''
  return `${metrics}${chain}${hasEmbedder ? `, ${embedder!.port} (embedder)` : ''}${operators}${isWrong}`
}

/** Whose sign-in leads to the account of the test key. */
function describeOwner({ owner, awaitsOwner, accountId }: DevelopmentAccess): string {
  if (owner !== undefined) return `sign in as ${owner} to see the account of the test key`
  if (awaitsOwner) return 'the first to sign in gets the account of the test key'
  return `npm run -s cli -- account link ${accountId} prints a link to the account of the test key`
}

/** npm starts this through a shell that forwards no signals, so the end of that shell counts as one. */
function stopWithParent(): void {
  if (!isRunByNpm()) return
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) void stop(0)
  }, PARENT_POLL_MS).unref()
}

/** Stops the roles first, then Postgres. A second signal kills them without waiting. */
async function stop(exitCode: number): Promise<void> {
  if (isStopping) {
    for (const role of roles) role.kill()
    await (await awaitPostgres())?.kill()
    process.exit(1)
  }
  isStopping = true
  startAborted.abort()
  await Promise.all(roles.map(role => role.stop(STOP_TIMEOUT_MS)))
  await (await awaitPostgres())?.stop()
  process.exit(exitCode)
}

function awaitPostgres(): Promise<EmbeddedPostgres | undefined> | undefined {
  return startingPostgres?.catch(() => undefined)
}

async function fail(error: unknown): Promise<void> {
  const isExplained = error instanceof ConfigError || error instanceof SetUpError
  process.stderr.write(`coinop: ${isExplained ? error.message : (error as Error).stack}\n`)
  await stop(1)
}
