import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/value'
import { LANES } from '#kit'
import { DOCUMENTS } from './variables/documents.ts'
import { EMBEDDING } from './variables/embedding.ts'
import {
  CHAIN_ADDRESS_RULE,
  Flag,
  NETWORKS_RULE,
  OneOf,
  OptionalText,
  OptionalUrl,
  Port,
  Text,
  TOKEN_RULE,
  Url,
  type VariableOptions,
} from './variables/kinds.ts'
import { LANGUAGE_MODELS } from './variables/language-models.ts'
import { LOCATION } from './variables/location.ts'
import { TRANSCRIPTION } from './variables/transcription.ts'
import { VISION } from './variables/vision.ts'

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const X402_NETWORKS = ['base', 'base-sepolia', 'dev'] as const
export type X402Network = (typeof X402_NETWORKS)[number]

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
    description: 'Postgres 15 to 18 to use instead of the embedded one.',
  }),
  SECRET: OptionalText({
    ...TOKEN_RULE,
    isSecret: true,
    displayDefault: 'generated in DATA_DIR',
    description: 'Secret that all keys are derived from; must be the same on every host of one installation.',
  }),
}

const OBJECT_STORE = {
  S3_BUCKET: OptionalText({
    displayDefault: 'objects in DATA_DIR',
    description: 'Bucket of an S3 object store to use instead of DATA_DIR.',
  }),
  S3_REGION: Text({ default: 'us-east-1', description: 'Region of the bucket.' }),
  S3_ENDPOINT: OptionalUrl({ displayDefault: 'AWS', description: 'Address of an S3 server other than AWS.' }),
  S3_ACCESS_KEY_ID: OptionalText({ displayDefault: 'the AWS chain', description: 'Access key of the bucket.' }),
  S3_SECRET_ACCESS_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'the AWS chain',
    description: 'Secret of that access key.',
  }),
  S3_FORCE_PATH_STYLE: Flag(false, 'Puts the bucket into the path, which most S3 servers other than AWS need.'),
}

const WORKER = {
  LANES: Text({ default: LANES.join(','), description: 'Lanes this worker runs, separated by commas.' }),
  SANDBOX: OneOf(['auto', 'off'], 'auto', '`off` runs programs unconfined; use it for trusted input only.'),
  OUTBOUND: OneOf(
    ['off', 'public'],
    'off',
    '`public` lets calls fetch files by `url`, what HTML refers to, and the sites of web operations, from public web servers; private addresses stay unreachable. Set it for api and workers.',
  ),
  FFMPEG_BIN: OptionalText({
    displayDefault: 'ffmpeg-static, or the ffmpeg of the system',
    description: 'The ffmpeg program for audio and video; an ffprobe beside it is used too.',
  }),
  TIMESTAMP_URL: OptionalUrl({
    displayDefault: 'no timestamps',
    description: 'Timestamp authority (RFC 3161) for signatures of level B-T; the worker posts to it.',
  }),
  WEBHOOK_NETWORKS: Type.String({
    ...NETWORKS_RULE,
    description:
      'Private addresses or networks that webhooks may be sent to, on any port and without TLS, separated by commas; 127.0.0.1 for development.',
  }),
}

const X402 = {
  X402_NETWORK: Type.Optional(
    Type.Unsafe<X402Network>({
      type: 'string',
      enum: [...X402_NETWORKS],
      displayDefault: 'no x402',
      description: 'Chain on which calls without an account are paid; `dev` is the local chain of DEV_CHAIN.',
    }),
  ),
  X402_PAY_TO: OptionalText({
    ...CHAIN_ADDRESS_RULE,
    displayDefault: 'no x402',
    description: 'Address that receives the payments.',
  }),
  X402_RPC_URL: OptionalUrl({
    isSecret: true,
    displayDefault: "the network's own",
    description: 'RPC provider of the chain.',
  }),
  X402_SETTLER_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    expects: '0x and 64 hex digits',
    pattern: '^0x[0-9a-fA-F]{64}$',
    description: 'Private key of the wallet that sends settlements and pays their gas; it needs to hold nothing else.',
  }),
  X402_FACILITATOR_URL: OptionalUrl({
    displayDefault: 'none',
    description: 'Facilitator that settles instead of our own wallet.',
  }),
  X402_FACILITATOR_TOKEN: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'Bearer token for that facilitator.',
  }),
  X402_ERC6492_FACTORIES: Type.String({
    default: '',
    expects: 'addresses separated by commas',
    pattern: '^(0x[0-9a-fA-F]{40}(\\s*,\\s*(?!$)|$))*$',
    description: 'Factories whose wallets may pay before they are deployed; we pay the gas of the deployment.',
  }),
  X402_OPERATOR_TOKEN: OptionalText({
    ...TOKEN_RULE,
    isSecret: true,
    displayDefault: 'closed',
    description: 'Bearer token that opens POST /x402/verify and POST /x402/settle.',
  }),
  DEV_CHAIN: Flag(false, '`npm start` also runs a local chain with a funded wallet, to try x402 without real money.'),
  DEV_CHAIN_PORT: Type.Optional(
    Port({ displayDefault: 'PORT + 3', minimum: 1, description: 'Port of that local chain, on 127.0.0.1.' }),
  ),
}

const SIGN_IN = {
  SMTP_URL: OptionalText({
    isSecret: true,
    displayDefault: 'log and DATA_DIR/outbox',
    expects: 'a smtp:// or smtps:// address',
    pattern: '^smtps?://',
    description: 'Mail server that sends the sign-in links and the notifications.',
  }),
  CLIENT_NETWORKS: Type.String({
    ...NETWORKS_RULE,
    description:
      'Private addresses or networks from which the description of an MCP client may be fetched, on any port and without TLS, separated by commas; 127.0.0.1 for development.',
  }),
  MAIL_FROM: Text({ default: 'coinop <no-reply@localhost>', description: 'Sender of that mail.' }),
  GITHUB_CLIENT_ID: OptionalText({
    displayDefault: 'no GitHub',
    description: 'OAuth application for signing in with GitHub.',
  }),
  GITHUB_CLIENT_SECRET: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'Secret of that application.',
  }),
  GITHUB_URL: Url({ default: 'https://github.com', description: 'GitHub, or a GitHub Enterprise server.' }),
  GITHUB_API_URL: Url({ default: 'https://api.github.com', description: 'The API of that GitHub.' }),
  GOOGLE_CLIENT_ID: OptionalText({
    displayDefault: 'no Google',
    description: 'OAuth application for signing in with Google.',
  }),
  GOOGLE_CLIENT_SECRET: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'Secret of that application.',
  }),
  GOOGLE_ISSUER: Url({ default: 'https://accounts.google.com', description: 'Issuer of the OpenID tokens.' }),
}

const BILLING = {
  STRIPE_SECRET_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'no Stripe',
    description: 'Key of the Stripe account that receives top-ups.',
  }),
  STRIPE_WEBHOOK_SECRET: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description:
      'Secret that signs what Stripe sends to `/v1/billing/stripe-webhook`: `checkout.session.*`, `charge.refunded`, `charge.dispute.*`.',
  }),
  STRIPE_API_URL: OptionalUrl({
    displayDefault: "Stripe's own",
    description: 'Another server with the same API as Stripe.',
  }),
  TEST_CHECKOUT: Flag(false, 'Top-ups are test money and new accounts are test accounts; `npm start` sets it.'),
}

const PROCESS = {
  LOG_LEVEL: OneOf(LOG_LEVELS, 'info', 'Lowest level that is logged.'),
  NODE_ENV: Type.String({ default: 'development', description: '`production` hides what only a developer may see.' }),
}

/** The variables by subject, in the order of ops/CONFIGURATION.md. */
export const VARIABLE_GROUPS: Readonly<Record<string, Readonly<Record<string, TSchema>>>> = {
  'Addresses and ports': ADDRESSES,
  'Data and secrets': DATA,
  'Object store': OBJECT_STORE,
  Worker: WORKER,
  'Language models': LANGUAGE_MODELS,
  Embedding: EMBEDDING,
  Transcription: TRANSCRIPTION,
  'Document AI': DOCUMENTS,
  Vision: VISION,
  Location: LOCATION,
  'Payments without an account (x402)': X402,
  'Mail and sign-in': SIGN_IN,
  'Top-ups by card': BILLING,
  Process: PROCESS,
}

/** Every environment variable the service reads: its type, its default and what it means. */
export const Variables = Type.Object({
  ...ADDRESSES,
  ...DATA,
  ...OBJECT_STORE,
  ...WORKER,
  ...LANGUAGE_MODELS,
  ...EMBEDDING,
  ...TRANSCRIPTION,
  ...DOCUMENTS,
  ...VISION,
  ...LOCATION,
  ...X402,
  ...SIGN_IN,
  ...BILLING,
  ...PROCESS,
})

/** A variable has an invalid value; the message is one sentence that names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export type VariableValues = Static<typeof Variables>

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
  if (type === 'boolean' && /^(true|false|1|0)$/.test(text)) return text === 'true' || text === '1'
  return text
}

type Expectation = { type?: string; expects?: string; minimum?: number; maximum?: number; enum?: string[] }

function describeExpectation(schema: TSchema): string {
  const { type, expects, minimum, maximum, enum: choices } = schema as TSchema & Expectation
  if (expects) return expects
  if (choices) return `one of ${choices.join(', ')}`
  if (type === 'boolean') return 'true or false'
  if (type === 'integer') return `a whole number from ${minimum} to ${maximum}`
  return 'text'
}
