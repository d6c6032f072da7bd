import { newId } from '#kit'
import { type Db, value } from '../db.ts'

interface NewTrial {
  /** The hash of a key that nobody has. */
  keyHash: Buffer
  keyPrefix: string
  /** Keyed hashes of the networks of the visitor, the smallest first, with what each may try on a day. */
  networks: readonly { hash: Buffer; limit: number }[]
  callCapMicros: number
  dailyCapMicros: number
}

interface Payer {
  accountId: string
  keyHash: Buffer
}

/** Counts a trial and returns the account and the key that pay for it. Throws TRIAL_LIMIT_REACHED. */
export async function admitTrial(db: Db, trial: NewTrial): Promise<Payer> {
  const { keyHash, keyPrefix, networks, callCapMicros, dailyCapMicros } = trial
  const caps = JSON.stringify({ callCapMicros, dailyCapMicros })
  const [hashes, limits] = [networks.map(({ hash }) => hash), networks.map(({ limit }) => limit)]
  const values = [newId(), keyHash, keyPrefix, hashes, limits, caps]
  const found = await value<{ accountId: string; keyHash: string }>(
    db,
    'select trial.admit($1, $2, $3, $4, $5, $6)',
    values,
  )
  return { accountId: found.accountId, keyHash: Buffer.from(found.keyHash, 'hex') }
}

/** Undefined where nothing was ever tried. */
export async function findTrialAccount(db: Db): Promise<string | undefined> {
  return (await value<string | null>(db, 'select trial.find_account()')) ?? undefined
}
