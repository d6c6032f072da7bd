import { listInbox } from '../../../sql/esigndoc/envelopes.ts'
import type { ListInbox } from '../../inbox.ts'
import { writeSigningUrl } from './showing.ts'

const LIMIT = 100

const listToSign: ListInbox = async (context, accountId) => {
  const rows = await listInbox(context.db, accountId, LIMIT)
  return rows.map(({ recipient, linkNonce, title, notifiedAt, expiresAt }) => ({
    ...{ kind: 'A document to sign', title, isUrgent: false, since: notifiedAt, until: expiresAt },
    url: new URL(writeSigningUrl(context, recipient, linkNonce)).pathname,
  }))
}

export default listToSign
