import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { LANES, type Lane } from '#kit'
import { readOrCreateSecret } from './secrets.ts'
import { readTracing, type TracingConfig } from './tracing/settings.ts'
import { ConfigError, type ProviderConfig, splitList } from './variables/declaration.ts'
import { type Environment, type LOG_LEVELS, providerSettings, readVariables, Variables } from './variables.ts'

export { ConfigError } from './variables/declaration.ts'
export { Variables } from './variables.ts'

/** The capabilities of providers add theirs: ops/providers/<capability>/settings.ts. */
export interface Config extends ProviderConfig {
  host: string
  port: number
  adminHost: string
  adminPort: number
  workerAdminPort: number
  publicUrl: string
  /** Who runs the installation, as the website says it. */
  operator: { name: string | undefined; url: string | undefined }
  /** Undefined where the console is closed. */
  console?: { host: string; port: number; url: string }
  dataDir: string
  databaseUrl?: string
  /** Of a standby. */
  databaseReadUrl?: string
  secret: string
  lanes: readonly Lane[]
  sandbox: 'auto' | 'off'
  ffmpegPath?: string
  /** Where operations of the operator are; undefined if there are none. */
  pluginsDir?: string
  outbound: 'off' | 'public'
  /** Where availability is measured; undefined where it is not. */
  probeUrl?: string
  /** Networks that webhooks may be sent to although they are not public. */
  webhookNetworks: readonly string[]
  /** Networks from which descriptions of MCP clients may be fetched although they are not public. */
  clientNetworks: readonly string[]
  trustProxy: readonly string[]
  logLevel: (typeof LOG_LEVELS)[number]
  /** Undefined where nothing is traced. */
  tracing?: TracingConfig
  isProduction: boolean
  /** Whether nothing may be settled, sent or asked of others, because this is a copy of another installation. */
  isQuiet: boolean
}

/** The only reader of the environment. Creates the secret in the data folder if none is set. */
export function loadConfig(env: Environment = process.env): Config {
  const values = readVariables(env)
  const dataDir = resolve(values.DATA_DIR)
  const publicUrl = readPublicUrl(values)
  return Object.freeze<Config>({
    ...loadProviders(env),
    host: values.HOST,
    port: values.PORT,
    adminHost: values.ADMIN_HOST,
    adminPort: values.ADMIN_PORT ?? values.PORT + 1,
    workerAdminPort: values.WORKER_ADMIN_PORT ?? values.PORT + 2,
    publicUrl,
    operator: { name: values.OPERATOR_NAME, url: values.OPERATOR_URL },
    console: readConsole(values),
    dataDir,
    databaseUrl: values.DATABASE_URL,
    databaseReadUrl: values.DATABASE_READ_URL,
    secret: values.SECRET ?? readOrCreateRootSecret(dataDir),
    lanes: parseLanes(values.LANES),
    sandbox: values.SANDBOX,
    ffmpegPath: values.FFMPEG_BIN && resolve(values.FFMPEG_BIN),
    pluginsDir: readPluginsDir(env),
    outbound: values.OUTBOUND,
    probeUrl: values.PROBE_URL === 'off' ? undefined : (values.PROBE_URL?.replace(/\/+$/, '') ?? publicUrl),
    webhookNetworks: parseNetworks('WEBHOOK_NETWORKS', values.WEBHOOK_NETWORKS),
    clientNetworks: parseNetworks('CLIENT_NETWORKS', values.CLIENT_NETWORKS),
    trustProxy: parseProxies(values.TRUST_PROXY),
    logLevel: values.LOG_LEVEL,
    tracing: readTracing(values),
    isProduction: values.NODE_ENV === 'production',
    isQuiet: false,
  })
}

// Decision 0522: make restored copies quiet.

/**
 * The configuration of a quiet installation: no provider is configured, nothing is fetched, and no worker has the remote lane,
 * in which webhooks are sent and chores run. What would have to go out waits.
 */
export function loadQuietConfig(env: Environment = process.env): Config {
  const outside = new Set(providerSettings.flatMap(each => (each.isLocal ? [] : Object.keys(each.variables))))
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !outside.has(name)))
  const silent = { OUTBOUND: 'off', WEBHOOK_NETWORKS: '', CLIENT_NETWORKS: '', OTEL_EXPORTER_OTLP_ENDPOINT: '' }
  const config = loadConfig({ ...kept, ...silent })
  return Object.freeze({ ...config, lanes: config.lanes.filter(lane => lane !== 'remote'), isQuiet: true })
}

/** What the environment tells of providers, without what makes an installation. */
export function loadProviders(env: Environment = process.env): ProviderConfig {
  const values = readVariables(env)
  const base = { port: values.PORT, publicUrl: readPublicUrl(values) }
  return Object.assign({}, ...providerSettings.map(({ read }) => read(values as never, base))) as ProviderConfig
}

function readPublicUrl({ PUBLIC_URL, HOST, PORT }: ReturnType<typeof readVariables>): string {
  return (PUBLIC_URL ?? formatHttpUrl(HOST, PORT)).replace(/\/+$/, '')
}

/** Where operations of the operator are, without what makes an installation. */
export function readPluginsDir(env: Environment = process.env): string | undefined {
  const { PLUGINS_DIR } = readVariables(env)
  return PLUGINS_DIR && resolve(PLUGINS_DIR)
}

/** A command works on an installation; it must not begin another one in the wrong folder. */
export function requireInstallation({ needsSecret }: { needsSecret: boolean }, env: Environment = process.env): void {
  const { DATA_DIR, DATABASE_URL, SECRET } = readVariables(env)
  const dataDir = resolve(DATA_DIR)
  if (!DATABASE_URL && !existsSync(join(dataDir, 'postgres-password'))) {
    throw new ConfigError(
      `There is no installation in ${dataDir}; set DATA_DIR or DATABASE_URL to those of the service, or run npm start to begin one there.`,
    )
  }
  if (needsSecret && DATABASE_URL && !SECRET && !existsSync(join(dataDir, 'secret'))) {
    throw new ConfigError(
      `The secret of the service is not in ${dataDir}; set DATA_DIR or SECRET to those of the service, or run npm start to begin one there.`,
    )
  }
}

/** The variables that are set: those that are no secrets with their values, and the names of the others. */
export function describeVariables(env: Environment = process.env): {
  settings: Record<string, string>
  secrets: string[]
} {
  const set = Object.entries(Variables.properties).filter(([name]) => env[name]?.trim())
  const isSecret = (schema: unknown) => (schema as { isSecret?: boolean }).isSecret === true
  return {
    settings: Object.fromEntries(set.flatMap(([name, schema]) => (isSecret(schema) ? [] : [[name, env[name]!]]))),
    secrets: set.flatMap(([name, schema]) => (isSecret(schema) ? [name] : [])),
  }
}

/** An environment, by default that of this process, with `extra` on top, as for a child process. */
export function buildChildEnvironment(extra: Environment, env: Environment = process.env): NodeJS.ProcessEnv {
  return { ...env, ...extra }
}

export function isRunByNpm(env: Environment = process.env): boolean {
  return env.npm_lifecycle_event !== undefined
}

function formatHttpUrl(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function readConsole(values: ReturnType<typeof readVariables>): Config['console'] {
  const { CONSOLE_HOST: host, CONSOLE_PORT: port, CONSOLE_URL: url } = values
  return port === undefined ? undefined : { host, port, url: (url ?? `http://localhost:${port}`).replace(/\/+$/, '') }
}

function readOrCreateRootSecret(dataDir: string): string {
  try {
    return readOrCreateSecret(dataDir)
  } catch (error) {
    throw new ConfigError(`DATA_DIR must be a folder this user may write to (${(error as Error).message}).`)
  }
}

function parseLanes(text: string): Lane[] {
  const names = splitList(text)
  const known: readonly string[] = LANES
  if (names.length > 0 && names.every(name => known.includes(name))) return names as Lane[]
  throw new ConfigError(`LANES must be some of ${LANES.join(', ')}, separated by commas, not ${JSON.stringify(text)}.`)
}

const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal']

function parseProxies(text: string): string[] {
  const proxies = splitList(text)
  parseNetworks('TRUST_PROXY', proxies.filter(proxy => !NAMED_NETWORKS.includes(proxy)).join(','))
  return proxies
}

function parseNetworks(name: string, text: string): string[] {
  const networks = splitList(text)
  for (const network of networks) {
    const [address = '', prefix = '0', ...rest] = network.split('/')
    const maxPrefix = { 4: 32, 6: 128 }[isIP(address)]
    if (maxPrefix === undefined || !/^\d{1,3}$/.test(prefix) || Number(prefix) > maxPrefix || rest.length > 0)
      throw new ConfigError(`${name} must be IP addresses or networks, not ${JSON.stringify(network)}.`)
  }
  return networks
}
