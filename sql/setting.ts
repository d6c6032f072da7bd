import type { ProductNames, ProductSetting, Rates, Tunable } from '#kit'
import { products } from '../tasks/products/index.ts'
import { type Db, rows, value } from './db.ts'
import { PLATFORM_TUNABLES } from './settings/platform.ts'

type PlatformTunables = typeof PLATFORM_TUNABLES
export type SettingName = keyof PlatformTunables | ProductNames<'settings'>
type Widen<Value> = Value extends number ? number : Value extends boolean ? boolean : string[]
type TunableOf<Name> = Name extends keyof PlatformTunables
  ? PlatformTunables[Name]
  : Name extends string
    ? ProductSetting<Name>
    : never
type SettingValue<Name> = TunableOf<Name> extends Tunable<infer Value> ? Widen<Value> : never

/** The settings of the platform and of all products. */
export const TUNABLES = Object.assign({}, PLATFORM_TUNABLES, ...products.map(({ settings }) => settings)) as Record<
  SettingName,
  Tunable<unknown>
>

/** The current settings and price overrides. The caller refreshes them when it is notified on `changed`. */
export interface Settings {
  get<Name extends SettingName>(name: Name): SettingValue<Name>
  /** What the operator has set in place of a declared price. */
  ratesOf(serviceKey: string): Rates | undefined
  /** When they were read last, which is whenever they change. */
  readonly readAt: Date
  /** Counts the refreshes, so that derived values can be cached until it changes. */
  readonly version: number
  refresh(): Promise<void>
  onRefresh(listener: () => void): void
}

export async function openSettings(db: Db): Promise<Settings> {
  let values = new Map<string, unknown>()
  let rates = new Map<string, Rates>()
  let version = 0
  let readAt = new Date()
  const listeners: (() => void)[] = []
  // Refreshes run one after the other. Of two concurrent ones the older might finish last and overwrite the newer.
  let lastRefresh: Promise<void> = Promise.resolve()
  const readAll = async () => {
    const [found, prices] = await Promise.all([readSettings(db), readPrices(db)])
    values = new Map(Object.entries(found))
    rates = new Map([...prices, ...listSetPrices(found)])
    version++
    readAt = new Date()
    for (const listener of listeners) listener()
  }
  const settings: Settings = {
    get: name => (values.get(name) ?? TUNABLES[name].default) as never,
    ratesOf: serviceKey => rates.get(serviceKey),
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

/** What the operator has set in place of declared prices, by service key. */
export async function readPrices(db: Db): Promise<Map<string, Rates>> {
  const found = await rows<{ service_key: string; rate_micros: bigint; base_micros: bigint | null }>(
    db,
    'select * from setting.rates()',
  )
  const ratesOf = ({ rate_micros: rateMicros, base_micros: baseMicros }: (typeof found)[number]) => ({
    rateMicros,
    ...(baseMicros !== null && { baseMicros }),
  })
  return new Map(found.map(row => [row.service_key, ratesOf(row)]))
}

/** Of the prices that follow from settings, those whose settings were changed. */
export function listSetPrices(changed: Readonly<Record<string, unknown>>): [serviceKey: string, Rates][] {
  const read = (name: string) => BigInt(Math.round(Number(changed[name] ?? TUNABLES[name as SettingName].default)))
  return products
    .flatMap(({ prices = {} }) => Object.entries(prices))
    .filter(([, { rate, least }]) => changed[rate] !== undefined || changed[least] !== undefined)
    .map(([serviceKey, { rate, least }]) => [serviceKey, { rateMicros: read(rate), leastMicros: read(least) }])
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
  const tunable = TUNABLES[name]
  if (Array.isArray(tunable.default)) validateList(name, next, tunable)
  else if (typeof next !== typeof tunable.default) throw new RangeError(`${name} must be a ${typeof tunable.default}`)
  if (typeof next === 'number') validateNumber(name, next, tunable)
}

function validateNumber(name: string, next: number, { min, max }: Tunable<unknown>): void {
  if (!Number.isFinite(next) || next < min! || next > max!)
    throw new RangeError(`${name} must be from ${min} to ${max}`)
  // Statements and money take no fractions, so one would stop the calls and chores that use it.
  if (!Number.isInteger(next)) throw new RangeError(`${name} must be a whole number`)
}

function validateList(name: string, next: unknown, { words }: Tunable<unknown>): void {
  if (!Array.isArray(next) || next.some(item => typeof item !== 'string'))
    throw new RangeError(`${name} must be a list of strings`)
  const strange = words && next.find(item => !words.includes(item))
  if (strange !== undefined) throw new RangeError(`${name} has no "${strange}"; it may have only ${words!.join(', ')}`)
}

/** Sets what a call costs besides its units and what each unit costs; null restores the declared price. */
export async function writePrice(db: Db, serviceKey: string, rates: Rates | null): Promise<void> {
  const { rateMicros = null, baseMicros = null } = rates ?? {}
  await value(db, 'select setting.write_rates($1, $2, $3)', [serviceKey, rateMicros, baseMicros])
}
