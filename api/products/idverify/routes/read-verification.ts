import { Type } from 'typebox'
import { readVerification } from '../../../../sql/idverify/verifications.ts'
import { route } from '../../../route.ts'
import { withLink } from '../link.ts'
import { OWNER_ERRORS, parseVerificationId, Verification, VerificationParam } from '../schema.ts'

export default route({
  at: 'GET /v1/idverify/verifications/{id}',
  summary: 'Read a verification of identity with its checks.',
  keywords: 'result of an identity check, kyc result, extracted document data',
  auth: ['key', 'wallet'],
  params: VerificationParam,
  query: Type.Object(
    { reveal: Type.Boolean({ default: false, description: 'Show the whole number of the document.' }) },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: Verification },
  errors: [...OWNER_ERRORS, 'INVALID_PARAM', 'UNKNOWN_FIELD'],
  async handle({ caller, params, query }, context) {
    const id = parseVerificationId(params.id)
    return withLink(context, await readVerification(context.db, caller.accountId, id, query.reveal))
  },
})
