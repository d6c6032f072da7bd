import { listInbox } from '../../../sql/ask/asks.ts'
import type { ListInbox } from '../../inbox.ts'
import { REPLY } from './schema.ts'

const LIMIT = 100

const listAsked: ListInbox = async ({ config, db }, accountId) => {
  const rows = await listInbox(db, accountId, LIMIT)
  return rows.map(({ recipient, question, urgency, askedAt, expiresAt }) => ({
    kind: 'A question',
    title: question.trim().split('\n', 1)[0]!.slice(0, 200),
    isUrgent: urgency === 'high',
    url: `/r/${REPLY.derive(config.secret, recipient)}`,
    since: askedAt,
    until: expiresAt,
  }))
}

export default listAsked
