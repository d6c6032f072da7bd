/** What a baton may hold, for how long, and how often it may be read and written. */
export interface BatonShape {
  sizeBytes: bigint
  durationSeconds: bigint
  egressBytes: bigint
  writes: bigint
  reads: bigint
}

export const TIERS = ['femto', 'pico', 'nano', 'micro', 'standard', 'big'] as const
export type Tier = (typeof TIERS)[number]

const KIB = 1024n
const MIB = 1024n * KIB
const GIB = 1024n * MIB
const DAY_SECONDS = 86_400n

export const TIER_SHAPES: Readonly<Record<Tier, BatonShape>> = {
  femto: shape(64n * KIB, 1n, 1n * MIB, 100n, 1_000n),
  pico: shape(1n * MIB, 7n, 16n * MIB, 200n, 2_000n),
  nano: shape(10n * MIB, 30n, 100n * MIB, 500n, 5_000n),
  micro: shape(50n * MIB, 30n, 512n * MIB, 1_000n, 10_000n),
  standard: shape(250n * MIB, 90n, 1n * GIB, 5_000n, 50_000n),
  big: shape(1n * GIB, 90n, 4n * GIB, 20_000n, 200_000n),
}

/** The times of a baton that begins now. */
export function startNow(durationSeconds: bigint): { createdAt: string; expiresAt: string } {
  const createdAt = new Date()
  const expiresAt = new Date(createdAt.getTime() + Number(durationSeconds) * 1_000)
  return { createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() }
}

function shape(sizeBytes: bigint, days: bigint, egressBytes: bigint, writes: bigint, reads: bigint): BatonShape {
  return { sizeBytes, durationSeconds: days * DAY_SECONDS, egressBytes, writes, reads }
}

/** What a shape of the caller's own has unless it says otherwise. */
const DEFAULT_WRITES = 1_000n
const DEFAULT_READS = 10_000n

/** The greatest values of a shape. Its price limits it more; these keep every sum within 64 bits. */
export const MAX_SIZE_BYTES = 1024n * GIB
export const MAX_EGRESS_BYTES = 1024n * GIB
export const MAX_DURATION_SECONDS = 3_660n * DAY_SECONDS
export const MAX_COUNT = 1_000_000_000n

/** Amounts on the wire: a number, or a decimal string. */
export type Amount = number | string

export interface CustomShape {
  sizeBytes: Amount
  durationSeconds: Amount
  maxEgressBytes: Amount
  writesAllowed?: number
  readsAllowed?: number
}

export function readCustomShape(custom: CustomShape): BatonShape {
  return {
    sizeBytes: BigInt(custom.sizeBytes),
    durationSeconds: BigInt(custom.durationSeconds),
    egressBytes: BigInt(custom.maxEgressBytes),
    writes: custom.writesAllowed === undefined ? DEFAULT_WRITES : BigInt(custom.writesAllowed),
    reads: custom.readsAllowed === undefined ? DEFAULT_READS : BigInt(custom.readsAllowed),
  }
}
