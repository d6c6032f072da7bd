import { cancelVerification } from '../../../../sql/idverify/verifications.ts'
import { route } from '../../../route.ts'
import { OWNER_ERRORS, parseVerificationId, Verification, VerificationParam } from '../schema.ts'

export default route({
  at: 'POST /v1/idverify/verifications/{id}/cancel',
  summary: 'Cancel a verification of identity that has not ended.',
  keywords: 'stop an identity check, withdraw a verification',
  description: 'Its link takes no images any more. What was paid stays paid.',
  auth: ['key', 'wallet'],
  params: VerificationParam,
  reply: { status: 200, schema: Verification },
  errors: [...OWNER_ERRORS, 'VERIFICATION_TERMINAL'],
  handle: ({ caller, params }, { db }) => cancelVerification(db, caller.accountId, parseVerificationId(params.id)),
})
