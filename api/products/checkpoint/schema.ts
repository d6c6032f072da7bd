import { Type } from 'typebox'
import { Time } from '../lease/index.ts'

export const WorkflowId = Type.Object({
  workflow_id: Type.String({ description: 'The name of the checkpoint within the account.' }),
})

const CHECKPOINT_FIELDS = {
  workflow_id: Type.String(),
  version: Type.Integer(),
  size_bytes: Type.Integer(),
  sha256: Type.String(),
}
export const CheckpointCreated = Type.Object({
  status: Type.Literal('created'),
  ...CHECKPOINT_FIELDS,
  lease_id: Type.String(),
  expires_at: Time,
  max_body_bytes: Type.Integer(),
  cost_micros: Type.String(),
})
export const CheckpointVersion = Type.Object({ ...CHECKPOINT_FIELDS, updated_at: Time, expires_at: Time })
