import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/value'
import { LANES } from '#kit'

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const X402_NETWORKS = ['base', 'base-sepolia', 'dev'] as const
export type X402Network = (typeof X402_NETWORKS)[number]

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
const MaybeAddress = (notes: Notes) =>
  MaybeWord({ expects: 'an address of 0x and 40 hex digits', pattern: '^0x[0-9a-fA-F]{40}$', ...notes })
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
  OUTBOUND: OneOf(
    ['off', 'public'],
    'off',
    '`public` lets calls fetch what HTML asks for from public web servers; private addresses are never reached.',
  ),
  TRUST_PROXY: Type.String({
    default: '',
    description: 'Addresses or networks of proxies whose X-Forwarded-For counts.',
  }),
  X402_NETWORK: Type.Optional(
    Type.Unsafe<X402Network>({
      type: 'string',
      enum: [...X402_NETWORKS],
      shown: 'no x402',
      description: 'Chain that calls are paid on without an account; `dev` is the local one of DEV_CHAIN.',
    }),
  ),
  X402_PAY_TO: MaybeAddress({ shown: 'no x402', description: 'Address that is paid.' }),
  X402_RPC_URL: WebAddress({ secret: true, shown: "the network's own", description: 'Provider of the chain.' }),
  X402_SETTLER_KEY: MaybeWord({
    secret: true,
    shown: 'none',
    expects: '0x and 64 hex digits',
    pattern: '^0x[0-9a-fA-F]{64}$',
    description: 'Private key of the wallet that sends settlements and pays their gas; it need hold nothing else.',
  }),
  X402_FACILITATOR_URL: WebAddress({
    shown: 'none',
    description: 'Facilitator that settles in place of the own wallet.',
  }),
  X402_FACILITATOR_TOKEN: MaybeWord({ secret: true, shown: 'none', description: 'Bearer token for that facilitator.' }),
  X402_ERC6492_FACTORIES: Type.String({
    default: '',
    expects: 'addresses with commas between',
    pattern: '^(0x[0-9a-fA-F]{40}(\\s*,\\s*(?!$)|$))*$',
    description: 'Factories whose wallets may pay before they are deployed; deploying costs our gas.',
  }),
  X402_OPERATOR_TOKEN: MaybeWord({
    secret: true,
    expects: 'at least 16 characters',
    pattern: '^.{16,}$',
    shown: 'closed',
    description: 'Bearer token that opens POST /x402/verify and POST /x402/settle.',
  }),
  DEV_CHAIN: OnOff(false, '`npm start` runs a local chain with a funded wallet, to try x402 without real money.'),
  SMTP_URL: MaybeWord({
    secret: true,
    shown: 'log and DATA_DIR/outbox',
    expects: 'a smtp:// or smtps:// address',
    pattern: '^smtps?://',
    description: 'Mail server that sends the links people sign in with.',
  }),
  MAIL_FROM: Word({ default: 'coinop <no-reply@localhost>', description: 'Sender of that mail.' }),
  GITHUB_CLIENT_ID: MaybeWord({ shown: 'no GitHub', description: 'OAuth application for signing in by GitHub.' }),
  GITHUB_CLIENT_SECRET: MaybeWord({ secret: true, shown: 'none', description: 'Secret of that application.' }),
  GITHUB_URL: Word({
    default: 'https://github.com',
    expects: 'an http or https address',
    pattern: '^https?://[^/]',
    description: 'GitHub, or a GitHub Enterprise server.',
  }),
  GITHUB_API_URL: Word({
    default: 'https://api.github.com',
    expects: 'an http or https address',
    pattern: '^https?://[^/]',
    description: 'The API of that GitHub.',
  }),
  GOOGLE_CLIENT_ID: MaybeWord({ shown: 'no Google', description: 'OAuth application for signing in by Google.' }),
  GOOGLE_CLIENT_SECRET: MaybeWord({ secret: true, shown: 'none', description: 'Secret of that application.' }),
  GOOGLE_ISSUER: Word({
    default: 'https://accounts.google.com',
    expects: 'an http or https address',
    pattern: '^https?://[^/]',
    description: 'Issuer of the OpenID tokens.',
  }),
  STRIPE_SECRET_KEY: MaybeWord({
    secret: true,
    shown: 'no Stripe',
    description: 'Key of the Stripe account that top-ups go to.',
  }),
  STRIPE_WEBHOOK_SECRET: MaybeWord({
    secret: true,
    shown: 'none',
    description:
      'Secret that signs what Stripe tells `/v1/billing/stripe-webhook`: `checkout.session.*`, `charge.refunded`, `charge.dispute.*`.',
  }),
  STRIPE_API_URL: WebAddress({ shown: "Stripe's own", description: 'Another server that speaks as Stripe does.' }),
  TEST_CHECKOUT: OnOff(false, 'Top-ups are test money, for new accounts that are marked as such; `npm start` sets it.'),
  DEV_CHAIN_PORT: Type.Optional(
    Port({ shown: 'PORT + 3', minimum: 1, description: 'Port of that local chain, on 127.0.0.1.' }),
  ),
  LOG_LEVEL: OneOf(LOG_LEVELS, 'info', 'Least level that is logged.'),
  NODE_ENV: Type.String({ default: 'development', description: '`production` hides what only a developer may see.' }),
})

/** A variable with a wrong value; the message is one sentence that names it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export type Values = Static<typeof Variables>

export type Environment = Readonly<Record<string, string | undefined>>

export function readVariables(env: Environment): Values {
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
  if (type === 'boolean' && /^(true|false|1|0)$/.test(text)) return text === 'true' || text === '1'
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
