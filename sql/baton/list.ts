import { type Db, value } from '../db.ts'

interface VectorFacts {
  count: number
  dimensions: number | null
  metric: string
  model: string | null
  indexState: 'exact' | 'building' | 'ann'
}

export const BATON_STATES = ['active', 'witnessed', 'expired', 'deleted', 'burned', 'forgotten'] as const
type BatonState = (typeof BATON_STATES)[number]

/** A baton as its owner's pages show it. */
export interface BatonSummary {
  id: string
  name: string | null
  preset: string
  tier: string
  state: BatonState
  sizeBytes: number
  storedBytes: number
  egressBytes: number
  egressUsed: number
  maxReads: number
  readsUsed: number
  maxWrites: number
  writesUsed: number
  createdAt: string
  expiresAt: string
  /** Only of a vector baton. */
  vectors: VectorFacts | null
}

/** The batons of an account, newest first; without a state those that are over too. */
export function listBatons(
  db: Db,
  account: string,
  { state, limit, offset }: { state?: BatonState | undefined; limit: number; offset: number },
): Promise<BatonSummary[]> {
  return value(db, 'select baton.list_in_state($1, $2, $3, $4)', [account, state ?? null, limit, offset])
}

export interface BatonDetails {
  baton: BatonSummary
  tokens: {
    writer: string
    type: string
    state: string
    readsAllowed: number | null
    readsUsed: number
    writesAllowed: number | null
    writesUsed: number
    expiresAt: string | null
  }[]
  /** The last first. */
  logs: { type: string; writer: string; createdAt: string }[]
}

export function readBatonDetails(db: Db, account: string, id: string): Promise<BatonDetails | null> {
  return value(db, 'select baton.read_account($1, $2)', [account, id])
}
