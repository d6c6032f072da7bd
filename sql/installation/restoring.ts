import type pg from 'pg'

/** A table that is there as long as a backup is being restored into the database. */
export const RESTORE_MARK = 'coinop_restore'

/** A backup is being restored into the database, or that was broken off. */
export class RestoreUnfinished extends Error {
  constructor() {
    super('A backup was being restored into this database and is not yet whole; restore it again.')
  }
}

export async function isRestoring(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    `select to_regclass('public.${RESTORE_MARK}') is not null as found`,
  )
  return rows[0]!.found
}
