import { FILE_LIMITS } from '#kit'
import { type Db, rows, value } from './db.ts'
import { LEASE_TUNABLES } from './settings/lease.ts'
import { flagSetting, listSetting, numberSetting, type Tunable } from './settings/tunable.ts'

export const TUNABLES = {
  ...LEASE_TUNABLES,
  'api.wait_seconds': numberSetting(
    25,
    0,
    60,
    'How long a call waits inline before it is answered with a ticket, in seconds.',
  ),
  'api.max_waiting': numberSetting(
    20_000,
    1,
    1_000_000,
    'How many calls may wait in one api process at once; above that it answers BUSY.',
  ),
  'cputools.io.max_inline_bytes': numberSetting(4 * 2 ** 20, 1, 64 * 2 ** 20, 'The largest inline input, decoded.'),
  'cputools.io.max_storage_ref_bytes': numberSetting(50 * 2 ** 20, 1, 2 ** 30, 'The largest stored or raw input.'),
  'cputools.exec.sync_timeout_s': numberSetting(60, 1, 900, 'How long one run may take, in seconds.'),
  'cputools.exec.image_timeout_s': numberSetting(20, 1, 900, 'How long one run on an image may take, in seconds.'),
  'cputools.exec.async_timeout_s': numberSetting(
    900,
    1,
    86_400,
    'How long one run of an asynchronous call may take, in seconds.',
  ),
  'cputools.exec.queue_timeout_s': numberSetting(600, 1, 86_400, 'How long a job may wait in its queue, in seconds.'),
  'cputools.pdf.max_pages': numberSetting(
    FILE_LIMITS.pages,
    1,
    FILE_LIMITS.pages,
    'The maximum number of pages of one document.',
  ),
  'cputools.image.max_pixels': numberSetting(
    FILE_LIMITS.pixels,
    1,
    FILE_LIMITS.pixels,
    'The maximum number of pixels of one decoded image.',
  ),
  'cputools.scratch_hours': numberSetting(24, 1, 720, 'How long uploads and outputs are kept, in hours.'),
  'pipeline.allow_files': flagSetting(
    true,
    'Whether steps of a pipeline may be operations on images, PDFs and documents.',
  ),
  'pipeline.max_file_steps': numberSetting(10, 1, 50, 'How many steps of a pipeline may be such operations.'),
  'pipeline.max_saved': numberSetting(
    200,
    0,
    10_000,
    'How many versions of saved pipelines one account may have, all names together.',
  ),
  'instant.max_input_bytes': numberSetting(
    65_536,
    0,
    1_048_576,
    'The largest input on which an operation may run in the api process; each operation has its own limit below it.',
  ),
  'instant.off': listSetting([], 'Operations that are always queued.'),
  'vector.memory_mib': numberSetting(
    512,
    16,
    65_536,
    'Memory that each api process keeps vectors in, in MiB; searches under way may take as much again.',
  ),
  'job.result_days': numberSetting(7, 1, 3_650, 'How long a finished job keeps its result, in days.'),
  'lane.thread.concurrency': numberSetting(64, 0, 1_024, 'Jobs at once in the thread lane of one worker.'),
  'lane.native.concurrency': numberSetting(
    0,
    0,
    256,
    'Jobs at once in the native lane of one worker; 0 means by the number of cores.',
  ),
  'lane.program.concurrency': numberSetting(
    0,
    0,
    256,
    'Jobs at once in the program lane of one worker; 0 means by the number of cores.',
  ),
  'lane.remote.concurrency': numberSetting(16, 0, 1_024, 'Jobs at once in the remote lane of one worker.'),
  'rate.key_per_minute': numberSetting(60_000, 1, 100_000_000, 'Calls per minute of one API key.'),
  'rate.ip_per_minute': numberSetting(600, 1, 100_000_000, 'Calls per minute of one IP address without credentials.'),
  'rate.account_per_minute': numberSetting(
    120_000,
    1,
    100_000_000,
    'Calls per minute of all keys and wallets of one account.',
  ),
  'rate.wallet_per_minute': numberSetting(6_000, 1, 100_000_000, 'Calls per minute of one wallet token.'),
  'rate.sign_in_per_minute': numberSetting(30, 1, 1_000_000, 'Sign-in attempts per minute of one IP address.'),
  'rate.token_per_minute': numberSetting(
    600,
    1,
    1_000_000,
    'Requests per minute of one IP address for tokens of connectors.',
  ),
  'rate.register_per_minute': numberSetting(
    30,
    1,
    1_000_000,
    'MCP clients per minute that one IP address may register.',
  ),
  'rate.mail_per_minute': numberSetting(3, 1, 1_000, 'Sign-in links per minute that are sent to one mail address.'),
  'auth.token_generation': numberSetting(
    1,
    1,
    1_000_000,
    'The key that signs wallet tokens. Raising it by one ends the tokens of the key before the current one.',
  ),
  'billing.min_usd': numberSetting(5, 1, 10_000, 'The smallest top-up, in dollars.'),
  'billing.max_usd': numberSetting(1_000, 1, 100_000, 'The largest top-up, in dollars.'),
  'rate.probe_per_minute': numberSetting(
    30,
    1,
    1_000_000,
    'Unpaid calls per minute of one IP address that are priced by their content.',
  ),
  'rate.probe_ms_per_minute': numberSetting(
    10_000,
    1,
    60_000,
    'Milliseconds per minute that unpaid calls of one IP address may be priced for.',
  ),
  'x402.max_probes': numberSetting(16, 1, 10_000, 'Paid calls that one api process prices by their content at once.'),
  'x402.max_unpaid_probes': numberSetting(
    1,
    1,
    10_000,
    'Unpaid calls that one api process prices by their content at once.',
  ),
  'x402.probe_seconds': numberSetting(20, 1, 120, 'How long a call may wait for its price by content, in seconds.'),
  'x402.unpaid_probe_seconds': numberSetting(1, 1, 120, 'How long pricing one unpaid call may run, in seconds.'),
  'baton.rate.base_micros': numberSetting(1_000, 0, 1_000_000, 'What a baton costs besides its quotas, in micros.'),
  'baton.rate.storage_micros': numberSetting(
    3_000,
    1,
    1_000_000_000,
    'What a GiB in a baton costs for a day, in micros.',
  ),
  'baton.rate.egress_micros': numberSetting(100_000, 1, 1_000_000_000, 'What reading a GiB costs, in micros.'),
  'baton.rate.writes_micros': numberSetting(1_000, 1, 1_000_000_000, 'What 1,000 writes to a baton cost, in micros.'),
  'baton.rate.reads_micros': numberSetting(100, 1, 1_000_000_000, 'What 1,000 reads of a baton cost, in micros.'),
  'baton.rate.witness_micros': numberSetting(
    50_000,
    1,
    1_000_000,
    'What a witness costs that is paid for when the baton is created, in micros.',
  ),
  'baton.trust.verify_chain_full_enabled': flagSetting(true, 'Whether `verify-chain` may hash the content of entries.'),
  'baton.trust.verify_chain_max_entries': numberSetting(
    2_000_000,
    1,
    100_000_000,
    'The longest chain that `verify-chain` checks, in entries.',
  ),
  'baton.trust.verify_chain_full_max_bytes': numberSetting(
    268_435_456,
    1,
    1_099_511_627_776,
    'The largest content that `verify-chain` hashes in mode full, in bytes.',
  ),
  'baton.trust.proof_max_entries': numberSetting(
    20_000,
    1,
    1_000_000,
    'The longest chain whose entries are listed in a proof.',
  ),
  'rate.verify_chain_per_minute': numberSetting(30, 1, 1_000_000, 'Chains per minute that one account may verify.'),
  'rate.trust_challenge_per_minute': numberSetting(
    60,
    1,
    1_000_000,
    'Candidates per minute of one IP address that are compared with witnessed batons.',
  ),
  'webhook.concurrency': numberSetting(
    1_000,
    0,
    20_000,
    'Webhook deliveries that one worker sends at once; 0 sends none.',
  ),
  'webhook.endpoint_concurrency': numberSetting(16, 1, 64, 'Webhook deliveries that one endpoint is sent at once.'),
  'webhook.timeout_seconds': numberSetting(15, 1, 60, 'How long a webhook endpoint may take to answer, in seconds.'),
  'webhook.delivery_days': numberSetting(30, 1, 3_650, 'How long webhook deliveries are kept, in days.'),
  'webhook.max_per_account': numberSetting(50, 1, 10_000, 'Webhooks that one account may have.'),
  'mcp.enabled': flagSetting(true, 'Whether MCP clients are served.'),
  'mcp.max_waiting_clients': numberSetting(
    20_000,
    1,
    10_000_000,
    'MCP clients that are registered and not yet approved by an account; of more, the oldest are deleted.',
  ),
  'mcp.origins': listSetting([], 'Origins of web pages that may call MCP, besides this service and local ones.'),
  'web.fetch_enabled': flagSetting(false, 'Whether an input may be a URL to fetch.'),
} as const satisfies Record<string, Tunable<unknown>>

export type SettingName = keyof typeof TUNABLES
type Widen<Value> = Value extends number ? number : Value extends boolean ? boolean : string[]
type SettingValue<Name extends SettingName> = Widen<(typeof TUNABLES)[Name]['default']>

/** The current settings and price overrides. The caller refreshes them when it is notified on `changed`. */
export interface Settings {
  get<Name extends SettingName>(name: Name): SettingValue<Name>
  /** The operator's price of one unit, if there is one. */
  rateOf(serviceKey: string): bigint | undefined
  /** When they were read last, which is whenever they change. */
  readonly readAt: Date
  /** Counts the refreshes, so that derived values can be cached until it changes. */
  readonly version: number
  refresh(): Promise<void>
  onRefresh(listener: () => void): void
}

export async function openSettings(db: Db): Promise<Settings> {
  let values = new Map<string, unknown>()
  let rates = new Map<string, bigint>()
  let version = 0
  let readAt = new Date()
  const listeners: (() => void)[] = []
  // Refreshes run one after the other. Of two concurrent ones the older might finish last and overwrite the newer.
  let lastRefresh: Promise<void> = Promise.resolve()
  const readAll = async () => {
    const [found, prices] = await Promise.all([readSettings(db), readPrices(db)])
    values = new Map(Object.entries(found))
    rates = prices
    version++
    readAt = new Date()
    for (const listener of listeners) listener()
  }
  const settings: Settings = {
    get: name => (values.get(name) ?? TUNABLES[name].default) as never,
    rateOf: serviceKey => rates.get(serviceKey),
    get readAt() {
      return readAt
    },
    get version() {
      return version
    },
    refresh: () => {
      lastRefresh = lastRefresh.catch(() => undefined).then(readAll)
      return lastRefresh
    },
    onRefresh: listener => listeners.push(listener),
  }
  await settings.refresh()
  return settings
}

export async function readSettings(db: Db): Promise<Record<string, unknown>> {
  const found = await rows<{ name: string; value: unknown }>(db, 'select * from setting.read()')
  return Object.fromEntries(found.map(row => [row.name, row.value]))
}

async function readPrices(db: Db): Promise<Map<string, bigint>> {
  const found = await rows<{ service_key: string; rate_micros: bigint }>(db, 'select * from setting.prices()')
  return new Map(found.map(row => [row.service_key, row.rate_micros]))
}

/** Changes a setting; null restores its default. Throws a RangeError that says what is allowed. */
export async function writeSetting(db: Db, name: string, next: unknown): Promise<void> {
  if (next !== null) validateSetting(name, next)
  await value(db, 'select setting.write($1, $2)', [name, next === null ? null : JSON.stringify(next)])
}

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(TUNABLES, name)
}

function validateSetting(name: string, next: unknown): void {
  if (!isSettingName(name)) throw new RangeError(`there is no setting ${name}`)
  const tunable: Tunable<unknown> = TUNABLES[name]
  if (Array.isArray(tunable.default)) {
    if (!Array.isArray(next) || next.some(item => typeof item !== 'string'))
      throw new RangeError(`${name} must be a list of strings`)
  } else if (typeof next !== typeof tunable.default) {
    throw new RangeError(`${name} must be a ${typeof tunable.default}`)
  }
  if (typeof next === 'number' && (!Number.isFinite(next) || next < tunable.min! || next > tunable.max!)) {
    throw new RangeError(`${name} must be from ${tunable.min} to ${tunable.max}`)
  }
}

/** Sets what one unit of an operation costs; null restores the declared price. */
export async function writePrice(db: Db, serviceKey: string, rateMicros: bigint | null): Promise<void> {
  await value(db, 'select setting.write_price($1, $2)', [serviceKey, rateMicros])
}
