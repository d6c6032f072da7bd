import { createHash } from 'node:crypto'
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
        const key = nameOutput(found.accountId, `${id} ${kind} ${position} ${sha256}`)
        await sql.reserveObject(found.accountId, key, PDF)
        await store.put(key, bytes, { contentType: PDF })
        return { kind, position, name, key, sizeBytes: bytes.length, sha256, pages }
      }),
    )
    const { level, timestampFailure, signer } = sealed
    await sql.finishSeal(id, outputs, { level, signer, ...(timestampFailure !== undefined && { timestampFailure }) })
  },
})

/** As other outputs are named, so that further calls take it; a second try has the same key. */
function nameOutput(accountId: string, of: string): string {
  const hex = createHash('sha256').update(of).digest('hex').slice(0, 32)
  return `scratch/${accountId}/${hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`
}
