import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/schema'
import { LANES } from '#kit'
import { TRACING } from './tracing/settings.ts'
import { ConfigError, type ProviderSettings } from './variables/declaration.ts'
import {
  NETWORKS_RULE,
  OneOf,
  OptionalText,
  OptionalUrl,
  Port,
  Text,
  TOKEN_RULE,
  type VariableOptions,
} from './variables/kinds.ts'

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

const ADDRESSES = {
  HOST: Text({ default: '127.0.0.1', description: 'Address the api listens on.' }),
  PORT: Port({ default: 8080, minimum: 1, description: 'Port of the api; the next three are taken too, unless set.' }),
  PUBLIC_URL: OptionalUrl({
    displayDefault: 'http://HOST:PORT',
    description: 'Address callers reach the service at; it appears in links, documents and payment offers.',
  }),
  TRUST_PROXY: Type.String({
    default: '',
    description: 'Addresses or networks of proxies whose X-Forwarded-For is trusted, separated by commas.',
  }),
  ADMIN_HOST: Text({ default: '127.0.0.1', description: 'Address the metrics of the api and the worker listen on.' }),
  ADMIN_PORT: Type.Optional(
    Port({ displayDefault: 'PORT + 1', minimum: 0, description: 'Metrics port of the api; 0 takes any free port.' }),
  ),
  WORKER_ADMIN_PORT: Type.Optional(
    Port({ displayDefault: 'PORT + 2', minimum: 0, description: 'Metrics port of the worker; 0 takes any free port.' }),
  ),
}

const CONSOLE = {
  CONSOLE_PORT: Type.Optional(
    Port({
      displayDefault: 'closed',
      minimum: 1,
      description: 'Port of the console for operators; without it there is none.',
    }),
  ),
  CONSOLE_HOST: Text({ default: '127.0.0.1', description: 'Address the console listens on.' }),
  CONSOLE_URL: OptionalUrl({
    displayDefault: 'http://localhost:CONSOLE_PORT',
    description: 'Address operators reach the console at; passkeys belong to its host, which must be a name.',
  }),
}

const OPERATOR = {
  OPERATOR_NAME: OptionalText({
    displayDefault: 'coinop',
    pattern: '^[^<>]{1,60}$',
    expects: 'a name of at most 60 characters',
    description: 'Who runs this installation; the website and the reference carry this name.',
  }),
  OPERATOR_URL: OptionalUrl({
    displayDefault: 'none',
    description: 'Page about the operator, such as an imprint, that the website links to.',
  }),
}

const DATA = {
  DATA_DIR: Text({
    default: './.data',
    description: 'Folder of the embedded Postgres, the local objects and the generated secrets.',
  }),
  DATABASE_URL: OptionalText({
    isSecret: true,
    displayDefault: 'embedded Postgres',
    expects: 'a postgres:// or postgresql:// address',
    pattern: '^postgres(ql)?://',
    description:
      'Postgres 15 to 18 to use instead of the embedded one. With several hosts, as in postgres://user:password@one,two/name, the one that takes changes is found, again after a failover.',
  }),
  DATABASE_READ_URL: OptionalText({
    isSecret: true,
    displayDefault: 'DATABASE_URL',
    expects: 'a postgres:// or postgresql:// address',
    pattern: '^postgres(ql)?://',
    description:
      'A standby of the database, which answers what may be some seconds old: ledger pages, lists of jobs, audit logs. While it does not answer or is too far behind, the primary does.',
  }),
  SECRET: OptionalText({
    ...TOKEN_RULE,
    isSecret: true,
    displayDefault: 'generated in DATA_DIR',
    description: 'Secret that all keys are derived from; must be the same on every host of one installation.',
  }),
}

const WORKER = {
  LANES: Text({ default: LANES.join(','), description: 'Lanes this worker runs, separated by commas.' }),
  SANDBOX: OneOf(['auto', 'off'], 'auto', '`off` runs programs unconfined; use it for trusted input only.'),
  OUTBOUND: OneOf(
    ['off', 'public'],
    'off',
    '`public` lets calls fetch files by `url`, what HTML refers to, and the sites of web operations, from public web servers; private addresses stay unreachable. Set it for api and workers.',
  ),
  PROBE_URL: OptionalText({
    expects: 'an http or https address, or off',
    pattern: '^(off|https?://[^/].*)$',
    displayDefault: 'PUBLIC_URL',
    description:
      'Address that a worker of the lane remote calls once a minute to measure availability, as customers reach it; `off` measures nothing.',
  }),
  FFMPEG_BIN: OptionalText({
    displayDefault: 'ffmpeg-static, or the ffmpeg of the system',
    description: 'The ffmpeg program for audio and video; an ffprobe beside it is used too.',
  }),
  PLUGINS_DIR: OptionalText({
    displayDefault: 'off',
    description:
      'Folder of operations of your own, taken while the service runs (ops/plugins.md). Set it for api, workers and console.',
  }),
  CLIENT_NETWORKS: Type.String({
    ...NETWORKS_RULE,
    description:
      'Private addresses or networks from which the description of an MCP client may be fetched, on any port and without TLS, separated by commas; 127.0.0.1 for development.',
  }),
  WEBHOOK_NETWORKS: Type.String({
    ...NETWORKS_RULE,
    description:
      'Private addresses or networks that webhooks may be sent to, on any port and without TLS, separated by commas; 127.0.0.1 for development.',
  }),
}

const PROCESS = {
  LOG_LEVEL: OneOf(LOG_LEVELS, 'info', 'Lowest level that is logged.'),
  NODE_ENV: Type.String({ default: 'development', description: '`production` hides what only a developer may see.' }),
}

const providersRoot = fileURLToPath(new URL('providers/', import.meta.url))

/** What each capability in ops/providers declares, in the order of their titles. */
export const providerSettings: readonly ProviderSettings[] = (
  await Promise.all(
    readdirSync(providersRoot)
      .filter(capability => existsSync(`${providersRoot}${capability}/settings.ts`))
      .map(async capability => (await import(`./providers/${capability}/settings.ts`)).default as ProviderSettings),
  )
).sort((one, other) => (one.title < other.title ? -1 : 1))

/** The variables by subject, in the order of ops/CONFIGURATION.md. */
export const VARIABLE_GROUPS: Readonly<Record<string, Readonly<Record<string, TSchema>>>> = {
  'Addresses and ports': ADDRESSES,
  'Console of operators': CONSOLE,
  Operator: OPERATOR,
  'Data and secrets': DATA,
  'Workers and outgoing requests': WORKER,
  ...Object.fromEntries(providerSettings.map(({ title, variables }) => [title, variables])),
  Traces: TRACING,
  Process: PROCESS,
}

const PlatformVariables = Type.Object({
  ...ADDRESSES,
  ...CONSOLE,
  ...OPERATOR,
  ...DATA,
  ...WORKER,
  ...TRACING,
  ...PROCESS,
})

/** Every environment variable the service reads: its type, its default and what it means. */
export const Variables = Type.Object(Object.assign({}, ...Object.values(VARIABLE_GROUPS)) as Record<string, TSchema>)

/** The values of the platform's variables; those of providers are there too, and their settings know the types. */
type VariableValues = Static<typeof PlatformVariables>

export type Environment = Readonly<Record<string, string | undefined>>

export function readVariables(env: Environment): VariableValues {
  const entries = Object.entries(Variables.properties).map(([name, schema]) => [
    name,
    readVariable(name, schema, env[name]),
  ])
  return Object.fromEntries(entries) as VariableValues
}

/** An empty variable counts as not set, because that is how many tools write it. */
function readVariable(name: string, schema: TSchema, text: string | undefined): unknown {
  const options = schema as TSchema & VariableOptions
  if (text === undefined || text.trim() === '') return options.default
  const value = convertText(schema, text.trim())
  if (Check(schema, value)) return value
  const suffix = options.isSecret ? '' : `, not ${JSON.stringify(text)}`
  throw new ConfigError(`${name} must be ${describeExpectation(schema)}${suffix}.`)
}

function convertText(schema: TSchema, text: string): unknown {
  const { type } = schema as { type?: string }
  if (type === 'integer' && /^\d+$/.test(text)) return Number(text)
  if (type === 'number' && /^\d+(\.\d+)?$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(true|false|1|0)$/.test(text)) return text === 'true' || text === '1'
  return text
}

type Expectation = { type?: string; expects?: string; minimum?: number; maximum?: number; enum?: string[] }

function describeExpectation(schema: TSchema): string {
  const { type, expects, minimum, maximum, enum: choices } = schema as TSchema & Expectation
  if (expects) return expects
  if (choices) return `one of ${choices.join(', ')}`
  if (type === 'boolean') return 'true or false'
  if (type === 'number') return `a number from ${minimum} to ${maximum}`
  if (type === 'integer') return `a whole number from ${minimum} to ${maximum}`
  return 'text'
}
