import type { Db } from '../../../sql/db.ts'
import { type ObjectRecord, readObjects } from '../../../sql/object.ts'

/** Reads records of stored files; what is asked for at the same moment, such as all files of a merge, is read at once. */
export function readTogether(db: Db): (accountId: string, key: string) => Promise<ObjectRecord | undefined> {
  const waiting = new Map<string, { keys: string[]; found: Promise<Map<string, ObjectRecord>> }>()
  const begin = (accountId: string) => {
    const keys: string[] = []
    const found = Promise.resolve().then(() => {
      waiting.delete(accountId)
      return readObjects(db, accountId, keys)
    })
    const reading = { keys, found }
    waiting.set(accountId, reading)
    return reading
  }
  return async (accountId, key) => {
    const { keys, found } = waiting.get(accountId) ?? begin(accountId)
    keys.push(key)
    return (await found).get(key)
  }
}
