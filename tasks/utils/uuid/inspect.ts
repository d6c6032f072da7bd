import { Problem } from '#kit'
import { GREGORIAN_OFFSET_MS, parseUuid } from './generate.ts'
import { isNanoid, KSUID_EPOCH_SEC, parseKsuid, parseUlid } from './other-ids.ts'

interface Inspected {
  kind: 'uuid' | 'ulid' | 'nanoid' | 'ksuid'
  version: number | null
  variant: 'ncs' | 'rfc9562' | 'microsoft' | 'future' | 'nil' | 'max' | null
  timestamp: string | null
  timestampMs: number | null
  clockSequence?: number
  node?: string
  hex?: string
}

/** Decodes an identifier; its kind follows from its format. */
export function inspectId(text: string): Inspected {
  const uuid = parseUuid(text)
  if (uuid) return inspectUuid(uuid)
  const other = { version: null, variant: null }
  const ulid = parseUlid(text)
  if (ulid) return { kind: 'ulid', ...other, ...timestampFields(ulid.readUIntBE(0, 6)), hex: ulid.toString('hex') }
  const ksuid = parseKsuid(text)
  if (ksuid) {
    const timeMs = (ksuid.readUInt32BE() + KSUID_EPOCH_SEC) * 1000
    return { kind: 'ksuid', ...other, ...timestampFields(timeMs), hex: ksuid.toString('hex') }
  }
  if (isNanoid(text)) return { kind: 'nanoid', ...other, ...timestampFields(undefined) }
  throw new Problem('UUID_INVALID', { field: 'inspect' })
}

function timestampFields(timeMs: number | undefined): Pick<Inspected, 'timestamp' | 'timestampMs'> {
  return timeMs === undefined
    ? { timestamp: null, timestampMs: null }
    : { timestamp: new Date(timeMs).toISOString(), timestampMs: timeMs }
}

function inspectUuid(bytes: Buffer): Inspected {
  const variant = detectVariant(bytes)
  const version = variant === 'rfc9562' ? bytes[6]! >> 4 : null
  const inspected = {
    kind: 'uuid',
    version,
    variant,
    ...timestampFields(readTimeMs(bytes, version)),
    hex: bytes.toString('hex'),
  } as const
  if (version !== 1 && version !== 6) return inspected
  const clockSequence = bytes.readUInt16BE(8) & 0x3fff
  return { ...inspected, clockSequence, node: bytes.toString('hex', 10) }
}

function detectVariant(bytes: Buffer): Inspected['variant'] {
  if (bytes.every(byte => byte === 0)) return 'nil'
  if (bytes.every(byte => byte === 0xff)) return 'max'
  const top = bytes[8]! >> 5
  if (top < 4) return 'ncs'
  if (top < 6) return 'rfc9562'
  return top === 6 ? 'microsoft' : 'future'
}

function readTimeMs(bytes: Buffer, version: number | null): number | undefined {
  if (version === 7) return bytes.readUIntBE(0, 6)
  const hex = bytes.toString('hex')
  if (version === 1) return ticksToMs(hex.slice(13, 16) + hex.slice(8, 12) + hex.slice(0, 8))
  if (version === 6) return ticksToMs(hex.slice(0, 12) + hex.slice(13, 16))
  return undefined
}

/** Converts ticks of 100 ns to whole milliseconds. */
function ticksToMs(ticks: string): number {
  return Number(BigInt(`0x${ticks}`) / 10_000n) - GREGORIAN_OFFSET_MS
}
