import { listInbox } from '../../../sql/contract/contracts.ts'
import type { ListInbox } from '../../inbox.ts'
import { PARTY } from './schema.ts'

const LIMIT = 100

const listToSign: ListInbox = async ({ config, db }, accountId) => {
  const rows = await listInbox(db, accountId, LIMIT)
  return rows.map(({ party, title, createdAt, expiresAt }) => ({
    ...{ kind: 'A contract to sign', title, isUrgent: false },
    ...{ url: `/contracts/${PARTY.derive(config.secret, party)}`, since: createdAt, until: expiresAt },
  }))
}

export default listToSign
