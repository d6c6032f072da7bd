import { isUuid, Problem } from '#kit'
import { revokeConnector } from '../../../../sql/connector/approvals.ts'
import { route } from '../../../route.ts'
import { ConnectorId } from '../../../routes/account/schema.ts'

export default route({
  at: 'DELETE /v1/account/connectors/{id}',
  summary: 'Revoke a connected MCP client: all its tokens end at once.',
  keywords: 'disconnect an app, remove access of a client, log out mcp client',
  auth: ['session'],
  params: ConnectorId,
  reply: { status: 204 },
  errors: ['NOT_FOUND', 'CSRF_REJECTED', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller: { accountId }, params: { id }, reply }, { db, keys }) {
    if (!isUuid(id)) throw new Problem('NOT_FOUND')
    await revokeConnector(db, accountId, id)
    keys.forget()
    reply.code(204).send()
    return undefined
  },
})
