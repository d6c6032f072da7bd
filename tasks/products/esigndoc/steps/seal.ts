import { Type } from 'typebox'
import { step } from '#kit'
import type * as callers from '../../../../sql/esigndoc/steps.ts'
import type { SealedFile } from '../document.ts'
import { buildSealRequest } from '../seal-request.ts'
import type { EnvelopeStepDeps } from '../worker-deps.ts'

const PDF = 'application/pdf'

export default step({
  summary: 'Seal what all have signed.',
  payload: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  limitSeconds: 300,
  async run({ id }, deps: EnvelopeStepDeps<typeof callers>) {
    const { sql, store, documents, publicUrl, hasTimestamps, signal } = deps
    const found = await sql.readForSealing(id)
    if (!found) return
    const sealed = await documents.seal(buildSealRequest(found, publicUrl, hasTimestamps), signal)
    const files: { kind: 'signed' | 'certificate'; position: number; file: SealedFile }[] = [
      ...sealed.documents.map((file, position) => ({ kind: 'signed' as const, position, file })),
      ...(sealed.certificate ? [{ kind: 'certificate' as const, position: 0, file: sealed.certificate }] : []),
    ]
    const outputs = await Promise.all(
      files.map(async ({ kind, position, file: { name, bytes, sha256, pages } }) => {
        const key = `signing/${id}/${kind}-${position}-${sha256.slice(0, 32)}`
        await sql.reserveObject(found.accountId, key, PDF)
        await store.put(key, bytes, { contentType: PDF })
        return { kind, position, name, key, sizeBytes: bytes.length, sha256, pages }
      }),
    )
    const { level, timestampFailure, signer } = sealed
    await sql.finishSeal(id, outputs, { level, signer, ...(timestampFailure !== undefined && { timestampFailure }) })
  },
})
