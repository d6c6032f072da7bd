import { Type } from 'typebox'
import { deleteOwnList } from '../../../../sql/screening/own-lists.ts'
import { route } from '../../../route.ts'

export default route({
  at: 'DELETE /v1/screening/lists/{source}',
  summary: 'Delete a list that you have uploaded, with all of its versions.',
  keywords: 'remove my blocklist, delete an own list',
  description: 'Screenings that were made keep what they found. A list that active monitors search is not deleted.',
  auth: ['key', 'wallet'],
  connectorScope: 'mcp:write',
  params: Type.Object({
    source: Type.String({ maxLength: 60, description: 'As its upload has answered: `custom:…`.' }),
  }),
  reply: { status: 200, schema: Type.Object({ source: Type.String(), removed: Type.Literal(true) }) },
  errors: ['NOT_FOUND', 'LIST_IN_USE', 'INVALID_PARAM', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, params: { source } }, { db }) {
    await deleteOwnList(db, caller.accountId, source)
    return { source, removed: true }
  },
})
