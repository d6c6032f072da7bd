import type { Facilitator, SignedPayment } from '#kit'
import type { ObjectStore } from '../../ops/providers/storage/contract.ts'

/** The dependencies of the chores of the platform. workers/chores.ts binds them to the database and the object store. */
export interface ChoreDeps {
  now(): Date
  objects: {
    /** Keys of stored objects that have expired. */
    listExpired(limit: number): Promise<string[]>
    forget(keys: string[]): Promise<void>
    /** Those of the keys that have no record. */
    findUnrecorded(keys: readonly string[]): Promise<string[]>
  }
  jobs: {
    /** Deletes results past their retention; returns how many. */
    forgetResults(): Promise<number>
    /** Those of the jobs that have not ended. */
    findOpen(ids: readonly string[]): Promise<string[]>
  }
  steps: {
    /** Deletes dead steps past their retention; returns how many. */
    forgetDead(): Promise<number>
  }
  ledger: {
    /** Makes the tables of the next months that are missing; returns how many. */
    openMonths(): Promise<number>
    /** Freezes the transfers of a month that is over; returns its name, undefined if there is none. */
    freezeMonth(): Promise<string | undefined>
  }
  settings: {
    /** Makes the changes of settings and prices whose time has come; returns how many. */
    applyDue(): Promise<number>
  }
  /** Undefined where no place or no key for backups is configured. */
  backups: { makeIfDue(): Promise<{ id: string } | undefined> } | undefined
  /** Undefined where payments are not configured. */
  payments: PaymentDeps | undefined
  store: Pick<ObjectStore, 'remove' | 'list' | 'removeDrafts'>
  log(facts: Record<string, unknown>, text: string): void
}

/** The chunks that wallets paid for, and the chain on which they are settled. */
export interface PaymentDeps extends Pick<Facilitator, 'settle' | 'find'> {
  /** Claims chunks to settle now; no other process gets the same ones. */
  claimDue(limit: number): Promise<{ id: string; payment: SignedPayment }[]>
  /** Chunks sent so long ago that their outcome should be known, but is not. */
  listUnresolved(
    ageSeconds: number,
    limit: number,
  ): Promise<{ id: string; payment: SignedPayment; isExpired: boolean }[]>
  markSettled(id: string, txHash: string | undefined): Promise<boolean>
  markFailed(id: string, reason: string): Promise<boolean>
  markUnknown(id: string, txHash: string | undefined): Promise<boolean>
  /** Deletes authorizations that are no longer valid. */
  deleteExpired(): Promise<number>
}
