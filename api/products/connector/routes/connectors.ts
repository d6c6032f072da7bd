import { Type } from 'typebox'
import { showConnectors } from '../../../../sql/connector/approvals.ts'
import { route } from '../../../route.ts'
import { NullableMicros } from '../../../routes/account/schema.ts'

const NullableText = Type.Union([Type.String(), Type.Null()])

const Connector = Type.Object({
  id: Type.String(),
  name: NullableText,
  clientId: Type.String(),
  keyPrefix: Type.String({ description: 'Names the connector in the ledger.' }),
  redirectHost: Type.String({ description: 'Where its user was returned to after the approval.' }),
  scopes: Type.Array(Type.String()),
  createdAt: Type.String(),
  approvedAt: Type.String(),
  lastUsedAt: NullableText,
  dailyCapMicros: NullableMicros,
  spentTodayMicros: Type.String(),
})

export default route({
  at: 'GET /v1/account/connectors',
  summary: 'List the MCP clients that the account has approved, with what each may spend.',
  keywords: 'connected apps, authorized clients, who has access, oauth grants',
  description: 'For a signed-in browser only, like the keys of the account.',
  auth: ['session'],
  reply: { status: 200, schema: Type.Object({ data: Type.Array(Connector) }) },
  errors: ['MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  handle: async ({ caller }, { db }) => ({ data: await showConnectors(db, caller.accountId) }),
})
