import { type Db, value } from '../db.ts'

/** A lease as its owner's pages show it. */
export interface LiveLease {
  kind: string
  name: string
  usedBytes: number
  sizeBytes: number
  version: number
  messages: number
  expiresAt: string
}

/** The live leases of an account, newest first. */
export function listLiveLeases(db: Db, account: string, limit: number): Promise<LiveLease[]> {
  return value(db, 'select lease.list_live($1, $2)', [account, limit])
}
