import { useToken } from '../../../sql/connector/index.ts'
import type { Db } from '../../../sql/db.ts'
import type { Bearer } from '../../intake/identity/caller.ts'
import type { OpenedProduct, PlatformParts } from '../../product-parts.ts'
import { ACCESS } from './oauth/tokens.ts'

/** The access tokens of connectors. */
export default function openConnectors({ db }: PlatformParts): OpenedProduct {
  return { bearers: [{ looksLike: ACCESS.hasForm, find: hash => findConnectorBearer(db, hash) }] }
}

/** A connector spends on a key of its own, which has its limits. */
async function findConnectorBearer(db: Db, hash: Buffer): Promise<Bearer | undefined> {
  const use = await useToken(db, hash)
  if (!use) return undefined
  const { accountId, prefix: credential, mode, isSuspended, endsAt, keyHash, scopes, resource } = use
  return {
    isSuspended,
    endsAtMs: endsAt.getTime(),
    caller: { accountId, credential, mode, via: 'connector', keyHash, connector: { scopes, resource } },
  }
}
