import type { SeededRandom } from '../../formats/random/seeded.ts'
import type { MockField } from './fields.ts'
import type { DrawnKind, Kind } from './kinds.ts'
import { compilePattern } from './pattern.ts'

// Decision 0150: make each cell of test data from its own seed.

export type Value = string | number | boolean | null | { [name: string]: Value } | Value[]

/** What values are made of: one stream of random numbers, and the names and words of a language that are chosen by it. */
export interface Source {
  random: SeededRandom
  drawn: Record<DrawnKind, () => string>
  /** A login name made from a name. */
  toUsername(firstName: string, lastName: string): string
  /** The order and the space of first and last name in the language. */
  toFullName(firstName: string, lastName: string): string
}

export type Draw = () => Value

const DAY_MS = 86_400_000
const TEN_YEARS_MS = 3652 * DAY_MS
const BLOCKS = ['192.0.2', '198.51.100', '203.0.113']

/** A function that makes values of a kind from its options. */
export function createDraw(
  kind: Kind,
  field: MockField,
  { source, refMs, at }: { source: Source; refMs: number; at: string },
): Draw {
  const { random } = source
  const make = MAKERS[kind as keyof typeof MAKERS]
  if (make) return make(field, { random, refMs, at, source })
  return source.drawn[kind as DrawnKind]
}

interface Made {
  random: SeededRandom
  refMs: number
  at: string
  source: Source
}

const MAKERS = {
  int: ({ min = 0, max = min + 1000 }, { random }) => {
    const [low, high] = [Math.ceil(min), Math.floor(max)]
    return () => random.integer(low, Math.max(low, high))
  },
  float: ({ min = 0, max = min + 1, decimals }, { random }) => {
    const factor = 10 ** (decimals ?? 10)
    const draw = () => min + random.next() * (max - min)
    return () => (decimals === undefined ? draw() : Math.min(max, Math.round(draw() * factor) / factor))
  },
  decimal: ({ min = 0, max = min + 1000, decimals = 2 }, { random }) => {
    const factor = 10 ** decimals
    const [low, high] = [Math.ceil(min * factor), Math.floor(max * factor)]
    return () => writeDecimal(random.integer(low, Math.max(low, high)), decimals)
  },
  bool: (_, { random }) => {
    return () => random.next() < 0.5
  },
  date: (field, made) => {
    const draw = moments(field, made, DAY_MS)
    return () => new Date(draw()).toISOString().slice(0, 10)
  },
  datetime: (field, made) => {
    const draw = moments(field, made, 1000)
    return () => new Date(draw()).toISOString().slice(0, 19)
  },
  timestamp: (field, made) => {
    const draw = moments(field, made, 1000)
    return () => `${new Date(draw()).toISOString().slice(0, 19)}Z`
  },
  time: (_, { random }) => {
    return () => new Date(random.integer(0, 86_399) * 1000).toISOString().slice(11, 19)
  },
  uuid: (_, { random }) => {
    return () => drawUuid(random)
  },
  latitude: (_, { random }) => {
    return () => random.integer(-90e6, 90e6) / 1e6
  },
  longitude: (_, { random }) => {
    return () => random.integer(-180e6, 180e6) / 1e6
  },
  ipv4: (_, { random }) => {
    return () => `${random.pick(BLOCKS)}.${random.integer(1, 254)}`
  },
  ipv6: (_, { random }) => {
    return () => `2001:db8:${Array.from({ length: 6 }, () => random.integer(1, 0xffff).toString(16)).join(':')}`
  },
  mac: (_, { random }) => {
    return () => `00:00:5e:00:53:${hexOf(random.integer(0, 255), 2)}`
  },
  color: (_, { random }) => {
    return () => `#${hexOf(random.integer(0, 0xffffff), 6)}`
  },
  lorem: ({ min = 5, max = Math.max(min, 15) }, { random, source }) => {
    const [low, high] = [Math.max(1, Math.ceil(min)), Math.min(1000, Math.floor(max))]
    return () => {
      const words = Array.from({ length: Math.max(low, random.integer(low, high)) }, source.drawn.word)
      const text = words.join(' ')
      return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
    }
  },
  enum: ({ values = [], weights }, { random }) => {
    if (!weights) return () => random.pick(values)
    let sum = 0
    const ends = weights.map(weight => {
      sum += weight
      return sum
    })
    return () => {
      const at = random.next() * sum
      return values[ends.findIndex(end => at < end)]!
    }
  },
  regex: ({ pattern = '' }, { random, at }) => {
    const draw = compilePattern(pattern, `${at}.pattern`)
    return () => draw(random)
  },
} satisfies Partial<Record<Kind, (field: MockField, made: Made) => Draw>>

function moments({ from, to }: MockField, { random, refMs }: Made, unitMs: number): () => number {
  const endMs = to === undefined ? Math.max(refMs, from === undefined ? 0 : toMs(from)) : toMs(to)
  const startMs = from === undefined ? Math.min(refMs, endMs) - TEN_YEARS_MS : toMs(from)
  const units = Math.floor((endMs - startMs) / unitMs)
  return () => startMs + random.integer(0, units) * unitMs
}

/** A time without a zone is in UTC, whatever the zone of the machine. */
export function toMs(text: string): number {
  return Date.parse(text.length === 10 ? `${text}T00:00:00Z` : text.endsWith('Z') ? text : `${text}Z`)
}

function writeDecimal(units: number, decimals: number): string {
  const digits = String(Math.abs(units)).padStart(decimals + 1, '0')
  const sign = units < 0 ? '-' : ''
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

function hexOf(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

function drawUuid(random: SeededRandom): string {
  const hex = (digits: number) => hexOf(random.integer(0, 16 ** digits - 1), digits)
  const variant = hexOf(0x8000 + random.integer(0, 0x3fff), 4)
  return `${hex(8)}-${hex(4)}-4${hex(3)}-${variant}-${hex(8)}${hex(4)}`
}
