import { type Static, Type } from 'typebox'
import { newId, Problem } from '#kit'
import type { NewEvidence } from '../../../sql/contract/disputes.ts'
import { requireStorable } from '../../intake/body/storable.ts'
import { Text } from './making.ts'

const MAX_TEXT_BYTES = 32_768

export const EvidenceBody = Type.Object(
  {
    title: Text(200),
    text: Type.Optional(Type.String({ minLength: 1, description: 'What the arbitrator reads, up to 32 KiB.' })),
    sha256: Type.Optional(
      Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of a file, which the arbitrator does not read.' }),
    ),
  },
  { additionalProperties: false, description: 'Either a text or a hash.' },
)

export function readEvidence(evidence: Static<typeof EvidenceBody>, field: string): NewEvidence {
  const { title, text, sha256 } = evidence
  if ((text === undefined) === (sha256 === undefined))
    throw new Problem('INVALID_PARAM', { field, reason: 'either a text or a hash' })
  requireStorable(field, text, MAX_TEXT_BYTES)
  return { id: newId(), title, text, sha256 }
}
