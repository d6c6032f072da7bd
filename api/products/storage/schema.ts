import { Type } from 'typebox'
import { NullableText, Time } from '../lease/index.ts'

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
