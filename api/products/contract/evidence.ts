import { type Static, Type } from 'typebox'
import { cleanName, FileInput, newId, Problem } from '#kit'
import type { NewEvidence } from '../../../sql/contract/disputes.ts'
import type { ApiContext } from '../../context.ts'
import { requireStorable } from '../../intake/body/storable.ts'
import type { readFiles } from '../../intake/files/read-files.ts'
import { Text } from './making.ts'

const MAX_TEXT_BYTES = 32_768

export const EvidenceBody = Type.Object(
  {
    title: Text(200),
    text: Type.Optional(Type.String({ minLength: 1, description: 'What the arbitrator reads, up to 32 KiB.' })),
    file: Type.Optional(
      FileInput({
        named: true,
        description: 'Kept for the parties and the operator with the dispute. A model knows it by its hash alone.',
      }),
    ),
    sha256: Type.Optional(
      Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of a file, which the arbitrator does not read.' }),
    ),
  },
  { additionalProperties: false, description: 'Either a text, a file or a hash.' },
)

type Given = Static<typeof EvidenceBody>

/** Throws for what is not exactly one of a text, a file and a hash. */
export function requireEvidence({ text, file, sha256 }: Given, field: string): void {
  if ([text, file, sha256].filter(part => part !== undefined).length !== 1)
    throw new Problem('INVALID_PARAM', { field, reason: 'either a text, a file or a hash' })
  requireStorable(field, text, MAX_TEXT_BYTES)
}

type Files = Awaited<ReturnType<typeof readFiles>>

/** Evidence with its files, which come in the order of the body. */
export function planEvidence({ settings }: ApiContext, evidence: readonly Given[], files: Files): NewEvidence[] {
  const left = [...files]
  const maxFileBytes = settings.get('contract.max_evidence_bytes')
  return evidence.map(({ title, text, sha256, file }) => {
    return { id: newId(), title, text, sha256, file: file && describeFile(left.shift()!), maxFileBytes }
  })
}

function describeFile({ name = '', type: contentType, bytes }: Files[number]) {
  return { name: cleanName(name) || 'file', contentType, base64: bytes.toString('base64') }
}
