import type { Facilitator, SignedPayment } from '#kit'
import type { ObjectStore } from '../../ops/storage/index.ts'

/** What chores work with; workers/chores.ts binds it to the database and the store. */
export interface ChoreHands {
  now(): Date
  objects: {
    /** Keys of stored objects whose time is up. */
    expired(limit: number): Promise<string[]>
    forget(keys: string[]): Promise<void>
  }
  jobs: {
    /** Drops results past their keeping; gives how many. */
    forgetResults(): Promise<number>
  }
  /** Where payments can be settled. */
  payments: PaymentHands | undefined
  store: Pick<ObjectStore, 'remove' | 'list'>
  say(facts: Record<string, unknown>, text: string): void
}

/** The chunks of wallets, and the chain they go to. */
export interface PaymentHands extends Pick<Facilitator, 'settle' | 'find'> {
  /** Chunks to send now; whoever gets one is the only one. */
  due(limit: number): Promise<{ id: string; payment: SignedPayment }[]>
  /** Chunks sent so long ago that their end should be known, and is not. */
  lost(ageSeconds: number, limit: number): Promise<{ id: string; payment: SignedPayment; isExpired: boolean }[]>
  settled(id: string, txHash: string | undefined): Promise<boolean>
  failed(id: string, reason: string): Promise<boolean>
  unknown(id: string, txHash: string | undefined): Promise<boolean>
  /** Drops authorizations that no longer work. */
  forget(): Promise<number>
}
