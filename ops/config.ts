import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { LANES, type Lane } from '#kit'
import type { DocumentConfig } from './providers/document/settings.ts'
import type { EmbeddingConfig } from './providers/embedding/contract.ts'
import type { LanguageModelConfig } from './providers/llm/contract.ts'
import type { LocationConfig } from './providers/location.ts'
import type { TranscriptionConfig } from './providers/transcription/contract.ts'
import type { VisionConfig } from './providers/vision/contract.ts'
import { readOrCreateSecret } from './secrets.ts'
import { readDocumentConfig } from './variables/document-config.ts'
import { readEmbeddingConfig } from './variables/embedding-config.ts'
import { readLanguageModelConfig } from './variables/language-model-config.ts'
import { readLocationConfig } from './variables/location-config.ts'
import { readTranscriptionConfig } from './variables/transcription-config.ts'
import { readVisionConfig } from './variables/vision-config.ts'
import {
  ConfigError,
  type Environment,
  type LOG_LEVELS,
  readVariables,
  type VariableValues,
  type X402Network,
} from './variables.ts'

export { ConfigError, Variables, type X402Network } from './variables.ts'

export interface Config {
  host: string
  port: number
  adminHost: string
  adminPort: number
  workerAdminPort: number
  publicUrl: string
  dataDir: string
  databaseUrl?: string
  secret: string
  s3?: S3Config
  lanes: readonly Lane[]
  sandbox: 'auto' | 'off'
  ffmpegPath?: string
  outbound: 'off' | 'public'
  /** Without a provider, texts are compared by their wording. */
  embedding?: EmbeddingConfig
  /** Without a provider, what needs a language model is unavailable. */
  llm?: LanguageModelConfig
  /** Without a provider, speech is not written down. */
  transcription?: TranscriptionConfig
  /** Who reads documents instead of our own engines. */
  documents: DocumentConfig
  /** What analyses images. */
  vision: VisionConfig
  /** Who finds places and plans routes. */
  location: LocationConfig
  /** Of the timestamp authority. */
  timestampUrl?: string
  /** Networks that webhooks may be sent to although they are not public. */
  webhookNetworks: readonly string[]
  /** Networks from which descriptions of MCP clients may be fetched although they are not public. */
  clientNetworks: readonly string[]
  trustProxy: readonly string[]
  x402?: X402Config
  hasDevChain: boolean
  devChainPort: number
  mail: MailConfig
  github?: OAuthConfig & { apiUrl: string }
  google?: OAuthConfig
  stripe?: { secretKey: string; webhookSecret: string; apiUrl?: string }
  /** Top-ups are test money and new accounts are test accounts. */
  hasTestCheckout: boolean
  logLevel: (typeof LOG_LEVELS)[number]
  isProduction: boolean
}

export interface S3Config {
  bucket: string
  region: string
  endpoint?: string
  accessKeyId?: string
  secretAccessKey?: string
  forcePathStyle: boolean
}

/** Without a settler key and without a facilitator nothing can settle, and x402 is reported as unavailable. */
export interface X402Config {
  network: X402Network
  payTo: string
  rpcUrl?: string
  settlerKey?: string
  facilitator?: { url: string; token?: string }
  factories: readonly string[]
  operatorToken?: string
}

/** Without an SMTP server, mail is written to the log and to the outbox in the data folder. */
interface MailConfig {
  smtpUrl?: string
  from: string
}

export interface OAuthConfig {
  clientId: string
  clientSecret: string
  url: string
}

/** The only reader of the environment. Creates the secret in the data folder if none is set. */
export function loadConfig(env: Environment = process.env): Config {
  const values = readVariables(env)
  const dataDir = resolve(values.DATA_DIR)
  const publicUrl = (values.PUBLIC_URL ?? formatHttpUrl(values.HOST, values.PORT)).replace(/\/+$/, '')
  return Object.freeze<Config>({
    host: values.HOST,
    port: values.PORT,
    adminHost: values.ADMIN_HOST,
    adminPort: values.ADMIN_PORT ?? values.PORT + 1,
    workerAdminPort: values.WORKER_ADMIN_PORT ?? values.PORT + 2,
    publicUrl,
    dataDir,
    databaseUrl: values.DATABASE_URL,
    secret: values.SECRET ?? readOrCreateRootSecret(dataDir),
    s3: readS3Config(values),
    lanes: parseLanes(values.LANES),
    sandbox: values.SANDBOX,
    ffmpegPath: values.FFMPEG_BIN && resolve(values.FFMPEG_BIN),
    outbound: values.OUTBOUND,
    llm: readLanguageModelConfig(values),
    embedding: readEmbeddingConfig(values),
    transcription: readTranscriptionConfig(values),
    documents: readDocumentConfig(values),
    vision: readVisionConfig(values),
    location: readLocationConfig(values, publicUrl),
    timestampUrl: values.TIMESTAMP_URL,
    webhookNetworks: parseNetworks('WEBHOOK_NETWORKS', values.WEBHOOK_NETWORKS),
    clientNetworks: parseNetworks('CLIENT_NETWORKS', values.CLIENT_NETWORKS),
    trustProxy: splitList(values.TRUST_PROXY),
    x402: readX402Config(values),
    hasDevChain: values.DEV_CHAIN,
    devChainPort: values.DEV_CHAIN_PORT ?? values.PORT + 3,
    mail: { smtpUrl: values.SMTP_URL, from: values.MAIL_FROM },
    github: readGithubConfig(values),
    google: readOAuthConfig(values, 'GOOGLE', values.GOOGLE_ISSUER),
    stripe: readStripeConfig(values),
    hasTestCheckout: values.TEST_CHECKOUT,
    logLevel: values.LOG_LEVEL,
    isProduction: values.NODE_ENV === 'production',
  })
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

/** The environment of a child process: that of this process with `extra` on top. */
export function buildChildEnvironment(extra: Environment): NodeJS.ProcessEnv {
  return { ...process.env, ...extra }
}

export function isRunByNpm(env: Environment = process.env): boolean {
  return env.npm_lifecycle_event !== undefined
}

function formatHttpUrl(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function readOrCreateRootSecret(dataDir: string): string {
  try {
    return readOrCreateSecret(dataDir)
  } catch (error) {
    throw new ConfigError(`DATA_DIR must be a folder this user may write to (${(error as Error).message}).`)
  }
}

function readS3Config(values: VariableValues): S3Config | undefined {
  const { S3_BUCKET, S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = values
  if (!S3_BUCKET) {
    if (!(S3_ENDPOINT || S3_ACCESS_KEY_ID || S3_SECRET_ACCESS_KEY)) return undefined
    throw new ConfigError('S3_BUCKET must be set when another S3 variable is set.')
  }
  if (!S3_ACCESS_KEY_ID !== !S3_SECRET_ACCESS_KEY) {
    throw new ConfigError('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set together.')
  }
  return {
    bucket: S3_BUCKET,
    region: values.S3_REGION,
    endpoint: S3_ENDPOINT,
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
    forcePathStyle: values.S3_FORCE_PATH_STYLE,
  }
}

function readGithubConfig(values: VariableValues): Config['github'] {
  const github = readOAuthConfig(values, 'GITHUB', values.GITHUB_URL)
  return github && { ...github, apiUrl: values.GITHUB_API_URL.replace(/\/+$/, '') }
}

function readOAuthConfig(values: VariableValues, name: 'GITHUB' | 'GOOGLE', url: string): OAuthConfig | undefined {
  const [clientId, clientSecret] = readPair(values, `${name}_CLIENT_ID`, `${name}_CLIENT_SECRET`)
  return clientId && clientSecret ? { clientId, clientSecret, url: url.replace(/\/+$/, '') } : undefined
}

function readStripeConfig(values: VariableValues): Config['stripe'] {
  const [secretKey, webhookSecret] = readPair(values, 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET')
  if (!secretKey || !webhookSecret) return undefined
  if (values.TEST_CHECKOUT) throw new ConfigError('TEST_CHECKOUT must be off when STRIPE_SECRET_KEY is set.')
  return { secretKey, webhookSecret, apiUrl: values.STRIPE_API_URL }
}

function readPair<Name extends keyof VariableValues>(
  values: VariableValues,
  one: Name,
  other: Name,
): [VariableValues[Name], VariableValues[Name]] {
  if (!values[one] !== !values[other]) throw new ConfigError(`${one} and ${other} must be set together.`)
  return [values[one], values[other]]
}

function readX402Config(values: VariableValues): X402Config | undefined {
  const { X402_NETWORK: network, X402_PAY_TO, X402_FACILITATOR_URL, X402_FACILITATOR_TOKEN } = values
  if (!network) {
    const stray = Object.entries(values).find(([name, value]) => name.startsWith('X402_') && value)
    if (stray) throw new ConfigError(`X402_NETWORK must be set when ${stray[0]} is set.`)
    return undefined
  }
  if (!X402_PAY_TO) throw new ConfigError('X402_PAY_TO must be set when X402_NETWORK is set.')
  if (network === 'dev' && !values.X402_RPC_URL) {
    throw new ConfigError('X402_NETWORK must be base or base-sepolia unless DEV_CHAIN starts a local chain.')
  }
  if (network !== 'dev' && values.DEV_CHAIN) {
    throw new ConfigError(`DEV_CHAIN must be off when X402_NETWORK is ${network}.`)
  }
  return {
    network,
    payTo: X402_PAY_TO,
    rpcUrl: values.X402_RPC_URL,
    settlerKey: values.X402_SETTLER_KEY,
    facilitator: X402_FACILITATOR_URL ? { url: X402_FACILITATOR_URL, token: X402_FACILITATOR_TOKEN } : undefined,
    factories: splitList(values.X402_ERC6492_FACTORIES),
    operatorToken: values.X402_OPERATOR_TOKEN,
  }
}

function parseLanes(text: string): Lane[] {
  const names = splitList(text)
  const known: readonly string[] = LANES
  if (names.length > 0 && names.every(name => known.includes(name))) return names as Lane[]
  throw new ConfigError(`LANES must be some of ${LANES.join(', ')}, separated by commas, not ${JSON.stringify(text)}.`)
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

function splitList(text: string): string[] {
  return text.split(',').flatMap(word => word.trim() || [])
}
