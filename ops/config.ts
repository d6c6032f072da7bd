import { resolve } from 'node:path'
import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/value'
import { LANES, type Lane } from '#kit'
import { mintedSecret } from './secrets.ts'

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

type Notes = {
  description: string
  expects?: string
  shown?: string
  secret?: boolean
  pattern?: string
  default?: string
}

const Word = (notes: Notes) => Type.String({ minLength: 1, ...notes })
const MaybeWord = (notes: Notes) => Type.Optional(Word(notes))
const WebAddress = (notes: Notes) =>
  MaybeWord({ expects: 'an http or https address', pattern: '^https?://[^/]', ...notes })
const OneOf = <const Name extends string>(names: readonly Name[], fallback: Name, description: string) =>
  Type.Unsafe<Name>({ type: 'string', enum: names, default: fallback, description })
const OnOff = (fallback: boolean, description: string) => Type.Boolean({ default: fallback, description })

/** `shown` is what the README's table prints as the default where the schema cannot say it. */
const Port = (notes: { description: string; minimum: number; default?: number; shown?: string }) =>
  Type.Integer({ maximum: 65_535, ...notes })

/** Every environment variable there is: its type, its default and what it means. The README's table is made of this. */
export const Variables = Type.Object({
  HOST: Word({ default: '127.0.0.1', description: 'Address the api listens on.' }),
  PORT: Port({ default: 8080, minimum: 1, description: 'Port the api listens on.' }),
  ADMIN_HOST: Word({ default: '127.0.0.1', description: 'Address the metrics of api and worker listen on.' }),
  ADMIN_PORT: Type.Optional(
    Port({ shown: 'PORT + 1', minimum: 0, description: 'Port of the metrics of the api; 0 takes any free one.' }),
  ),
  WORKER_ADMIN_PORT: Type.Optional(
    Port({ shown: 'PORT + 2', minimum: 0, description: 'Port of the metrics of the worker; 0 takes any free one.' }),
  ),
  PUBLIC_URL: WebAddress({ shown: 'http://HOST:PORT', description: 'Address callers reach the service by.' }),
  DATA_DIR: Word({
    default: './.data',
    description: 'Folder of the embedded Postgres, local objects and minted secrets.',
  }),
  DATABASE_URL: MaybeWord({
    secret: true,
    shown: 'embedded Postgres',
    expects: 'a postgres:// or postgresql:// address',
    pattern: '^postgres(ql)?://',
    description: 'Postgres 15 to 18 to use in place of the embedded one.',
  }),
  SECRET: MaybeWord({
    secret: true,
    shown: 'minted into DATA_DIR',
    expects: 'at least 16 characters',
    pattern: '^.{16,}$',
    description: 'Root of all keys; the same on every host of one installation.',
  }),
  S3_BUCKET: MaybeWord({
    shown: 'objects in DATA_DIR',
    description: 'Bucket of an S3 object store to use in place of DATA_DIR.',
  }),
  S3_REGION: Word({ default: 'us-east-1', description: 'Region of the bucket.' }),
  S3_ENDPOINT: WebAddress({ shown: 'AWS', description: 'Address of an S3 server that is not AWS.' }),
  S3_ACCESS_KEY_ID: MaybeWord({ shown: 'the AWS chain', description: 'Access key of the bucket.' }),
  S3_SECRET_ACCESS_KEY: MaybeWord({ secret: true, shown: 'the AWS chain', description: 'Secret of that access key.' }),
  S3_FORCE_PATH_STYLE: OnOff(false, 'Puts the bucket into the path, as most S3 servers other than AWS want it.'),
  LANES: Word({ default: LANES.join(','), description: 'Lanes this worker runs, with commas between.' }),
  SANDBOX: OneOf(['auto', 'off'], 'auto', '`off` runs programs unconfined: for trusted input only.'),
  TRUST_PROXY: Type.String({
    default: '',
    description: 'Addresses or networks of proxies whose X-Forwarded-For counts.',
  }),
  LOG_LEVEL: OneOf(LOG_LEVELS, 'info', 'Least level that is logged.'),
  NODE_ENV: Type.String({ default: 'development', description: '`production` hides what only a developer may see.' }),
})

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
  trustProxy: readonly string[]
  logLevel: (typeof LOG_LEVELS)[number]
  production: boolean
}

export interface S3Config {
  bucket: string
  region: string
  endpoint?: string
  accessKeyId?: string
  secretAccessKey?: string
  forcePathStyle: boolean
}

/** A variable with a wrong value; the message is one sentence that names it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

type Environment = Readonly<Record<string, string | undefined>>

/** The only reader of the environment. Mints the secret into the data folder where none is given. */
export function loadConfig(env: Environment = process.env): Config {
  const values = readVariables(env)
  const dataDir = resolve(values.DATA_DIR)
  return Object.freeze<Config>({
    host: values.HOST,
    port: values.PORT,
    adminHost: values.ADMIN_HOST,
    adminPort: values.ADMIN_PORT ?? values.PORT + 1,
    workerAdminPort: values.WORKER_ADMIN_PORT ?? values.PORT + 2,
    publicUrl: (values.PUBLIC_URL ?? addressOf(values.HOST, values.PORT)).replace(/\/+$/, ''),
    dataDir,
    databaseUrl: values.DATABASE_URL,
    secret: values.SECRET ?? secretIn(dataDir),
    s3: s3Of(values),
    lanes: lanesOf(values.LANES),
    sandbox: values.SANDBOX,
    trustProxy: words(values.TRUST_PROXY),
    logLevel: values.LOG_LEVEL,
    production: values.NODE_ENV === 'production',
  })
}

/** What a child process is given: everything this process was given, and what its parent knows better. */
export function childEnvironment(extra: Environment): NodeJS.ProcessEnv {
  return { ...process.env, ...extra }
}

export function isRunByNpm(env: Environment = process.env): boolean {
  return env.npm_lifecycle_event !== undefined
}

type Values = Static<typeof Variables>

function readVariables(env: Environment): Values {
  const entries = Object.entries(Variables.properties).map(([name, schema]) => [
    name,
    readVariable(name, schema, env[name]),
  ])
  return Object.fromEntries(entries) as Values
}

/** An empty variable counts as none: that is how many tools write "not set". */
function readVariable(name: string, schema: TSchema, text: string | undefined): unknown {
  const notes = schema as TSchema & Notes
  if (text === undefined || text.trim() === '') return notes.default
  const value = converted(schema, text.trim())
  if (Check(schema, value)) return value
  const shown = notes.secret ? '' : `, not ${JSON.stringify(text)}`
  throw new ConfigError(`${name} must be ${expectation(schema)}${shown}.`)
}

function converted(schema: TSchema, text: string): unknown {
  const { type } = schema as { type?: string }
  if (type === 'integer' && /^\d+$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  return text
}

function expectation(schema: TSchema): string {
  const { type, expects, minimum, maximum } = schema as {
    type?: string
    expects?: string
    minimum?: number
    maximum?: number
  }
  const choices = (schema as { enum?: string[] }).enum
  if (expects) return expects
  if (choices) return `one of ${choices.join(', ')}`
  if (type === 'boolean') return 'true or false'
  if (type === 'integer') return `a whole number from ${minimum} to ${maximum}`
  return 'a word'
}

function addressOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function secretIn(dataDir: string): string {
  try {
    return mintedSecret(dataDir)
  } catch (error) {
    throw new ConfigError(`DATA_DIR must be a folder this user may write to (${(error as Error).message}).`)
  }
}

function s3Of(values: Values): S3Config | undefined {
  const { S3_BUCKET, S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = values
  if (!S3_BUCKET) {
    if (!(S3_ENDPOINT || S3_ACCESS_KEY_ID || S3_SECRET_ACCESS_KEY)) return undefined
    throw new ConfigError('S3_BUCKET must be set where another S3 variable is set.')
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

function lanesOf(text: string): Lane[] {
  const names = words(text)
  const known: readonly string[] = LANES
  if (names.length > 0 && names.every(name => known.includes(name))) return names as Lane[]
  throw new ConfigError(`LANES must be some of ${LANES.join(', ')} with commas between, not ${JSON.stringify(text)}.`)
}

function words(text: string): string[] {
  return text.split(',').flatMap(word => word.trim() || [])
}
