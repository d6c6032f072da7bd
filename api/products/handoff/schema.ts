import { Type } from 'typebox'
import { Choice } from '#kit'
import { Time } from '../lease/index.ts'

export const HandoffToken = Type.Object({
  token: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'The part hnd_... of the claim_url that issuing the handoff has answered.',
  }),
})
export const HandoffId = (description: string) => Type.Object({ id: Type.String({ maxLength: 200, description }) })
export const Handoff = Type.Object({
  handoff_id: Type.String(),
  lease_id: Type.String(),
  state: Choice(['issued', 'claimed', 'expired', 'revoked']),
  claims: Type.Integer(),
  max_claims: Type.Integer(),
  delete_on_claim: Type.Boolean(),
  claimed_at: Type.Union([Time, Type.Null()]),
  expires_at: Time,
})
