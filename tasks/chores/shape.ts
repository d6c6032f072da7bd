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
  store: Pick<ObjectStore, 'remove' | 'list'>
  say(facts: Record<string, unknown>, text: string): void
}
