import { Problem } from '#kit'
import { isNanoid, KSUID_EPOCH_SEC, ksuidBytes, ulidBytes } from './other-ids-shape.ts'
import { GREGORIAN_OFFSET_MS, uuidBytes } from './uuid-shape.ts'

export interface Inspected {
  kind: 'uuid' | 'ulid' | 'nanoid' | 'ksuid'
  version: number | null
  variant: 'ncs' | 'rfc9562' | 'microsoft' | 'future' | 'nil' | 'max' | null
  timestamp: string | null
  timestampMs: number | null
  clockSequence?: number
  node?: string
  hex?: string
}

/** What an identifier says of itself; its form tells its kind. */
export function inspect(text: string): Inspected {
  const uuid = uuidBytes(text)
  if (uuid) return inspectUuid(uuid)
  const other = { version: null, variant: null }
  const ulid = ulidBytes(text)
  if (ulid) return { kind: 'ulid', ...other, ...moment(ulid.readUIntBE(0, 6)), hex: ulid.toString('hex') }
  const ksuid = ksuidBytes(text)
  if (ksuid) {
    const timeMs = (ksuid.readUInt32BE() + KSUID_EPOCH_SEC) * 1000
    return { kind: 'ksuid', ...other, ...moment(timeMs), hex: ksuid.toString('hex') }
  }
  if (isNanoid(text)) return { kind: 'nanoid', ...other, ...moment(undefined) }
  throw new Problem('UUID_INVALID', { field: 'inspect' })
}

function moment(timeMs: number | undefined): Pick<Inspected, 'timestamp' | 'timestampMs'> {
  return timeMs === undefined
    ? { timestamp: null, timestampMs: null }
    : { timestamp: new Date(timeMs).toISOString(), timestampMs: timeMs }
}

function inspectUuid(bytes: Buffer): Inspected {
  const variant = variantOf(bytes)
  const version = variant === 'rfc9562' ? bytes[6]! >> 4 : null
  const inspected = {
    kind: 'uuid',
    version,
    variant,
    ...moment(timeOf(bytes, version)),
    hex: bytes.toString('hex'),
  } as const
  if (version !== 1 && version !== 6) return inspected
  const clockSequence = bytes.readUInt16BE(8) & 0x3fff
  return { ...inspected, clockSequence, node: bytes.toString('hex', 10) }
}

function variantOf(bytes: Buffer): Inspected['variant'] {
  if (bytes.every(byte => byte === 0)) return 'nil'
  if (bytes.every(byte => byte === 0xff)) return 'max'
  const top = bytes[8]! >> 5
  if (top < 4) return 'ncs'
  if (top < 6) return 'rfc9562'
  return top === 6 ? 'microsoft' : 'future'
}

function timeOf(bytes: Buffer, version: number | null): number | undefined {
  if (version === 7) return bytes.readUIntBE(0, 6)
  const hex = bytes.toString('hex')
  if (version === 1) return gregorianMs(hex.slice(13, 16) + hex.slice(8, 12) + hex.slice(0, 8))
  if (version === 6) return gregorianMs(hex.slice(0, 12) + hex.slice(13, 16))
  return undefined
}

/** Ticks of 100 ns, as whole milliseconds; the rounding goes down before 1970 too. */
function gregorianMs(ticks: string): number {
  return Number(BigInt(`0x${ticks}`) / 10_000n) - GREGORIAN_OFFSET_MS
}
