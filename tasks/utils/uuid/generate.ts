import { hash, randomBytes, randomUUID } from 'node:crypto'
import { Problem } from '#kit'
import { isRealDate } from '../../formats/identity/aamva.ts'
import {
  createKsuidGenerator,
  createRandomSource,
  createRisingCounter,
  createUlidGenerator,
  formatNanoid,
  KSUID_EPOCH_SEC,
} from './other-ids.ts'

export const VERSIONS = ['1', '3', '4', '5', '6', '7', 'ulid', 'nanoid', 'ksuid'] as const
type Version = (typeof VERSIONS)[number]

export const NAME_VERSIONS: ReadonlySet<Version> = new Set<Version>(['3', '5'])
export const TIME_VERSIONS: ReadonlySet<Version> = new Set<Version>(['1', '6', '7', 'ulid', 'ksuid'])

/** The namespaces that RFC 9562 defines. */
export const NAMESPACES: Readonly<Record<string, string>> = {
  dns: '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
  url: '6ba7b811-9dad-11d1-80b4-00c04fd430c8',
  oid: '6ba7b812-9dad-11d1-80b4-00c04fd430c8',
  x500: '6ba7b814-9dad-11d1-80b4-00c04fd430c8',
}

interface IdOptions {
  namespace?: string
  name?: string
  timestamp?: number | string
  nowMs: number
}

export function generateIds(version: Version, count: number, options: IdOptions): string[] {
  const make = (next: () => string) => Array.from({ length: count }, next)
  if (version === '4') return make(() => randomUUID())
  if (version === '3' || version === '5') return [createNamedUuid(version, count, options)]
  const random = createRandomSource(count * 24)
  if (version === 'nanoid') return make(() => formatNanoid(random(21)))
  const timeMs = readTime(version, options)
  if (version === '1' || version === '6') return make(createGregorianGenerator(version, timeMs))
  if (version === '7') return make(createV7Generator(timeMs, random))
  return make(version === 'ulid' ? createUlidGenerator(timeMs, random) : createKsuidGenerator(timeMs, random))
}

/** From the start of the Gregorian calendar to 1970, in milliseconds. */
export const GREGORIAN_OFFSET_MS = 12_219_292_800_000
const TICKS_PER_MS = 10_000

/** The range of times for each kind, slightly shortened so that a batch never overflows. */
const TIME_RANGES: Partial<Record<Version, readonly [firstMs: number, lastMs: number]>> = {
  '1': [-GREGORIAN_OFFSET_MS, 2 ** 60 / TICKS_PER_MS - GREGORIAN_OFFSET_MS - 2],
  '6': [-GREGORIAN_OFFSET_MS, 2 ** 60 / TICKS_PER_MS - GREGORIAN_OFFSET_MS - 2],
  ksuid: [KSUID_EPOCH_SEC * 1000, (KSUID_EPOCH_SEC + 2 ** 32) * 1000 - 1],
}

function readTime(version: Version, { timestamp, nowMs }: IdOptions): number {
  if (timestamp === undefined) return nowMs
  const timeMs = typeof timestamp === 'number' ? timestamp : parseTime(timestamp)
  const [min, max] = (TIME_RANGES[version] ?? [0, 2 ** 48 - 1]).map(Math.floor) as [number, number]
  if (!(timeMs >= min && timeMs <= max)) throw new Problem('INVALID_PARAM', { field: 'timestamp', min, max })
  return timeMs
}

/** Date takes the 30th of February as a day of March; here it is no time. */
function parseTime(text: string): number {
  const day = /^\d{4}-\d\d-\d\d/.exec(text.trim())?.[0]
  const isDay = day === undefined || isRealDate(day)
  return isDay ? Date.parse(text) : Number.NaN
}

function createNamedUuid(version: '3' | '5', count: number, { namespace, name }: IdOptions): string {
  for (const [field, value] of Object.entries({ namespace, name })) {
    if (value === undefined) throw new Problem('MISSING_FIELD', { field })
  }
  if (count > 1) throw new Problem('CONFLICTING_OPTIONS', { fields: ['count', 'version'] })
  const space = NAMESPACES[namespace!.toLowerCase()] ?? namespace!
  const spaceBytes = parseUuid(space)
  if (!spaceBytes) throw new Problem('UUID_INVALID', { field: 'namespace' })
  const digest = hash(version === '3' ? 'md5' : 'sha1', Buffer.concat([spaceBytes, Buffer.from(name!)]), 'buffer')
  return formatUuid(digest.subarray(0, 16), Number(version))
}

const UUID = /^(?:urn:uuid:)?\{?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\}?$/i

export function parseUuid(text: string): Buffer | undefined {
  const match = UUID.exec(text)
  return match ? Buffer.from(match.slice(1).join(''), 'hex') : undefined
}

/** Sets version and variant in the bytes, and formats them as text. */
function formatUuid(bytes: Buffer, version: number): string {
  bytes[6] = (bytes[6]! & 0x0f) | (version << 4)
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** After the time come a counter that increases within the call, and fresh random bits. */
function createV7Generator(timeMs: number, random: (size: number) => Buffer): () => string {
  const rising = createRisingCounter(42)
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(timeMs, 0, 6)
  return () => {
    const number = rising()
    bytes.writeUInt16BE(Math.floor(number / 2 ** 30), 6)
    bytes.writeUInt32BE(number % 2 ** 30, 8)
    random(4).copy(bytes, 12)
    return formatUuid(bytes, 7)
  }
}

/** Versions 1 and 6: ticks of 100 ns, one more for each identifier, a random clock sequence and a random node. */
function createGregorianGenerator(version: '1' | '6', timeMs: number): () => string {
  let ticks = BigInt(timeMs + GREGORIAN_OFFSET_MS) * BigInt(TICKS_PER_MS)
  const tail = randomBytes(8)
  tail[2]! |= 0x01
  return () => {
    const hex = (ticks++).toString(16).padStart(15, '0')
    const time =
      version === '6' ? `${hex.slice(0, 12)}0${hex.slice(12)}` : `${hex.slice(7)}${hex.slice(3, 7)}0${hex.slice(0, 3)}`
    return formatUuid(Buffer.concat([Buffer.from(time, 'hex'), tail]), Number(version))
  }
}
