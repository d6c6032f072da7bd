import { Type } from 'typebox'
import { listTemplates } from '../../../../sql/esigndoc/templates.ts'
import { route } from '../../../route.ts'
import { Template } from '../template-body.ts'
import { describeTemplate } from '../templates.ts'

export default route({
  at: 'GET /v1/esigndoc/templates',
  summary: 'List your templates of documents to sign, the newest first.',
  keywords: 'my signature templates',
  auth: ['key', 'wallet'],
  query: Type.Object(
    {
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      offset: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }),
    },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: Type.Object({ data: Type.Array(Template), hasMore: Type.Boolean() }) },
  errors: ['INVALID_PARAM', 'UNKNOWN_FIELD', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, query: { limit, offset } }, { db }) {
    const found = await listTemplates(db, caller.accountId, { limit: limit + 1, offset })
    return { data: found.slice(0, limit).map(describeTemplate), hasMore: found.length > limit }
  },
})
