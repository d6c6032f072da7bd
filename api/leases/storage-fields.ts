import { Type } from 'typebox'
import { Choice } from '#kit'

const Time = Type.String({ format: 'date-time' })
const NullableText = Type.Union([Type.String(), Type.Null()])

export const HandoffToken = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) })
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

const STORAGE_FIELDS = {
  lease_id: Type.String(),
  version: Type.Integer(),
  size_bytes: Type.Integer(),
  max_body_bytes: Type.Integer(),
  sha256: Type.String(),
  content_type: Type.String(),
  filename: NullableText,
  delete_on_claim: Type.Boolean(),
  created_at: Time,
  updated_at: Time,
  expires_at: Time,
}
export const Storage = Type.Object(STORAGE_FIELDS)
export const StorageCreated = Type.Object({
  ...STORAGE_FIELDS,
  status: Type.Literal('created'),
  cost_micros: Type.String(),
  url: Type.String(),
})
