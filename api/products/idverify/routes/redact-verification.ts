import { redactVerification } from '../../../../sql/idverify/verifications.ts'
import { route } from '../../../route.ts'
import { OWNER_ERRORS, parseVerificationId, Verification, VerificationParam } from '../schema.ts'

export default route({
  at: 'DELETE /v1/idverify/verifications/{id}',
  summary: 'Erase the images and the personal data of a verification now; the decision stays.',
  keywords:
    'delete identity data, gdpr erasure, right to be forgotten, redact a verification, delete passport images, delete images of a customer, delete personal data',
  description: 'One that has not ended is cancelled.',
  auth: ['key', 'wallet'],
  params: VerificationParam,
  reply: { status: 200, schema: Verification },
  errors: OWNER_ERRORS,
  handle: ({ caller, params }, { db }) => redactVerification(db, caller.accountId, parseVerificationId(params.id)),
})
