import { type Db, rows, value } from './db.ts'

/** A tunable an operator may turn while everything runs. */
interface Tunable<Value> {
  default: Value
  min?: number
  max?: number
  summary: string
}

function number(byDefault: number, min: number, max: number, summary: string): Tunable<number> {
  return { default: byDefault, min, max, summary }
}

function flag(byDefault: boolean, summary: string): Tunable<boolean> {
  return { default: byDefault, summary }
}

function list(byDefault: string[], summary: string): Tunable<string[]> {
  return { default: byDefault, summary }
}

export const TUNABLES = {
  'api.wait_seconds': number(25, 0, 60, 'How long a call waits inline before it is answered with a ticket.'),
  'api.max_waiting': number(20_000, 1, 1_000_000, 'Calls one api process lets wait at once before it answers BUSY.'),
  'cputools.io.max_inline_bytes': number(4 * 2 ** 20, 1, 64 * 2 ** 20, 'The largest inline input, decoded.'),
  'cputools.io.max_storage_ref_bytes': number(50 * 2 ** 20, 1, 2 ** 30, 'The largest stored or raw input.'),
  'cputools.exec.sync_timeout_s': number(60, 1, 900, 'How long one run may take.'),
  'cputools.exec.image_timeout_s': number(20, 1, 900, 'How long one run over a picture may take.'),
  'cputools.exec.async_timeout_s': number(900, 1, 86_400, 'How long one run asked for asynchronously may take.'),
  'cputools.exec.queue_timeout_s': number(600, 1, 86_400, 'How long a job may wait in its queue.'),
  'cputools.pdf.max_pages': number(2_000, 1, 100_000, 'The most pages of one document.'),
  'cputools.image.max_pixels': number(100_000_000, 1, 1_000_000_000, 'The most pixels of one decoded picture.'),
  'cputools.scratch_hours': number(24, 1, 720, 'How long uploads and outputs live.'),
  'instant.max_input_bytes': number(
    65_536,
    0,
    1_048_576,
    'The largest input an operation may run on at once in the api.',
  ),
  'instant.off': list([], 'Operations that always take the queue.'),
  'job.result_days': number(7, 1, 3_650, 'How long a finished job keeps its result.'),
  'lane.thread.concurrency': number(64, 0, 1_024, 'Jobs at once in the thread lane of one worker.'),
  'lane.native.concurrency': number(0, 0, 256, 'Jobs at once in the native lane of one worker; 0 asks the machine.'),
  'lane.program.concurrency': number(0, 0, 256, 'Jobs at once in the program lane of one worker; 0 asks the machine.'),
  'lane.remote.concurrency': number(16, 0, 1_024, 'Jobs at once in the remote lane of one worker.'),
  'rate.key_per_minute': number(60_000, 1, 100_000_000, 'Calls an API key may make a minute.'),
  'rate.ip_per_minute': number(600, 1, 100_000_000, 'Calls an address may make a minute without credentials.'),
  'rate.account_per_minute': number(
    120_000,
    1,
    100_000_000,
    'Calls all keys and wallets of an account may make a minute.',
  ),
  'rate.wallet_per_minute': number(6_000, 1, 100_000_000, 'Calls a wallet token may make a minute.'),
  'rate.sign_in_per_minute': number(30, 1, 1_000_000, 'Tries to sign in an address may make a minute.'),
  'rate.mail_per_minute': number(3, 1, 1_000, 'Links to sign in that one mail address is sent a minute.'),
  'auth.token_generation': number(
    1,
    1,
    1_000_000,
    'Key of wallet tokens; raised by one, it ends those of the last but one.',
  ),
  'billing.min_usd': number(5, 1, 10_000, 'The least top-up, in dollars.'),
  'billing.max_usd': number(1_000, 1, 100_000, 'The largest top-up, in dollars.'),
  'rate.probe_per_minute': number(
    30,
    1,
    1_000_000,
    'Unpaid calls an address may have priced by their content a minute.',
  ),
  'x402.max_probes': number(16, 1, 10_000, 'Unpaid calls one api process has priced by their content at once.'),
  'x402.probe_seconds': number(20, 1, 120, 'How long pricing one unpaid call may take.'),
  'web.fetch_enabled': flag(false, 'Whether a source may be an address to fetch.'),
} as const satisfies Record<string, Tunable<unknown>>

export type SettingName = keyof typeof TUNABLES
type Widen<Value> = Value extends number ? number : Value extends boolean ? boolean : string[]
export type SettingValue<Name extends SettingName> = Widen<(typeof TUNABLES)[Name]['default']>

/** Today's settings and price overrides, kept fresh by the caller's ear on `changed`. */
export interface Settings {
  get<Name extends SettingName>(name: Name): SettingValue<Name>
  /** The operator's price of one unit, where there is one. */
  rateOf(serviceKey: string): bigint | undefined
  /** Counts the refreshes, so that what is derived can be kept until it changes. */
  readonly version: number
  refresh(): Promise<void>
  onRefresh(listener: () => void): void
}

export async function openSettings(db: Db): Promise<Settings> {
  let values = new Map<string, unknown>()
  let rates = new Map<string, bigint>()
  let version = 0
  const listeners: (() => void)[] = []
  // One after the other: of two readings at once the older might end last, and what it found would stay.
  let turn: Promise<void> = Promise.resolve()
  const readAll = async () => {
    const [found, prices] = await Promise.all([readSettings(db), readPrices(db)])
    values = new Map(Object.entries(found))
    rates = prices
    version++
    for (const listener of listeners) listener()
  }
  const settings: Settings = {
    get: name => (values.get(name) ?? TUNABLES[name].default) as never,
    rateOf: serviceKey => rates.get(serviceKey),
    get version() {
      return version
    },
    refresh: () => {
      turn = turn.catch(() => undefined).then(readAll)
      return turn
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

/** Turns a tunable; null puts its default back. Throws a RangeError that says what is allowed. */
export async function writeSetting(db: Db, name: string, next: unknown): Promise<void> {
  if (next !== null) checkSetting(name, next)
  await value(db, 'select setting.write($1, $2)', [name, next === null ? null : JSON.stringify(next)])
}

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(TUNABLES, name)
}

function checkSetting(name: string, next: unknown): void {
  if (!isSettingName(name)) throw new RangeError(`there is no setting ${name}`)
  const tunable: Tunable<unknown> = TUNABLES[name]
  if (Array.isArray(tunable.default)) {
    if (!Array.isArray(next) || next.some(item => typeof item !== 'string'))
      throw new RangeError(`${name} is a list of words`)
  } else if (typeof next !== typeof tunable.default) {
    throw new RangeError(`${name} is a ${typeof tunable.default}`)
  }
  if (typeof next === 'number' && (!Number.isFinite(next) || next < tunable.min! || next > tunable.max!)) {
    throw new RangeError(`${name} is from ${tunable.min} to ${tunable.max}`)
  }
}

/** Sets what one unit of an operation costs; null puts the declared price back. */
export async function writePrice(db: Db, serviceKey: string, rateMicros: bigint | null): Promise<void> {
  await value(db, 'select setting.write_price($1, $2)', [serviceKey, rateMicros])
}
