import { randomBytes } from 'node:crypto'
import { ID_PREFIX, newId } from '#kit'
import { type Db, rows, value } from '../db.ts'

/** A program that acts for an account, as the owner of the account sees it. */
export interface ConnectorRecord {
  id: string
  name: string | null
  clientId: string
  /** Names it in the ledger. */
  keyPrefix: string
  redirectHost: string
  scopes: string[]
  createdAt: string
  approvedAt: string
  lastUsedAt: string | null
  dailyCapMicros: string | null
  spentTodayMicros: string
}

export interface RegisteredClient {
  name: string | null
  redirectUris: string[]
}

export async function registerClient(
  db: Db,
  { id, name, redirectUris }: RegisteredClient & { id: string },
  maxWaiting: number,
): Promise<void> {
  await value(db, 'select connector.register_client($1, $2, $3, $4)', [id, name, redirectUris, maxWaiting])
}

export async function findRegisteredClient(db: Db, id: string): Promise<RegisteredClient | undefined> {
  const [row] = await rows<{ name: string | null; redirect_uris: string[] }>(
    db,
    'select * from connector.find_client($1)',
    [id],
  )
  return row && { name: row.name, redirectUris: row.redirect_uris }
}

interface Approval {
  clientId: string
  name: string | null
  redirectHost: string
  redirectUri: string
  challenge: string
  resource: string
  scopes: readonly string[]
  dailyCapMicros: bigint | null
}

/** Makes the client a connector of the account, unless it is one, and stores a code for it. */
export async function approveConnector(
  db: Db,
  accountId: string,
  approval: Approval,
  code: { hash: Buffer; seconds: number },
): Promise<void> {
  const id = newId()
  // The hash of no key: nothing can be sent that has it.
  const key = randomBytes(32)
  const prefix = `${ID_PREFIX}_connector_${key.toString('hex').slice(0, 8)}`
  const json = JSON.stringify({ ...approval, prefix, dailyCapMicros: approval.dailyCapMicros?.toString() })
  await value(db, 'select connector.approve($1, $2, $3, $4, $5, $6)', [
    accountId,
    id,
    key,
    code.hash,
    json,
    code.seconds,
  ])
}

export function showConnectors(db: Db, accountId: string): Promise<ConnectorRecord[]> {
  return value(db, 'select connector.show($1)', [accountId])
}

export async function limitConnector(
  db: Db,
  { accountId, id }: { accountId: string; id: string },
  dailyCapMicros: bigint | null,
): Promise<void> {
  await value(db, 'select connector.limit($1, $2, $3)', [accountId, id, dailyCapMicros])
}

export async function revokeConnector(db: Db, accountId: string, id: string): Promise<void> {
  await value(db, 'select connector.revoke($1, $2)', [accountId, id])
}

/** Deletes codes, tokens and clients that are of no use any more; returns how many, at most `limit` of each. */
export function forgetExpiredConnections(db: Db, limit: number): Promise<number> {
  return value(db, 'select connector.forget_expired($1)', [limit])
}

/** Lists the violated rules of the connectors; there should be none. */
export function checkConnectorInvariants(db: Db): Promise<{ rule: string; subject: string }[]> {
  return rows(db, 'select * from connector.check_invariants()')
}
