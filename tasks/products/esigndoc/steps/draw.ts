import { Type } from 'typebox'
import { step } from '#kit'
import type * as callers from '../../../../sql/esigndoc/steps.ts'
import { toStoredFile } from '../seal-request.ts'
import type { EnvelopeStepDeps } from '../worker-deps.ts'

export default step({
  summary: 'Draw a page of an envelope as an image for those who sign it.',
  payload: Type.Object({
    envelope: Type.String({ format: 'uuid' }),
    ...{ file: Type.Integer(), page: Type.Integer(), width: Type.Integer() },
  }),
  async run({ envelope, file, page, width }, deps: EnvelopeStepDeps<typeof callers>) {
    const { sql, store, documents, signal } = deps
    const source = await sql.readPageSource(envelope, { file, page, width })
    if (!source) return
    const drawn = await documents.renderPage(toStoredFile(source.name, source.content), page, width, signal)
    // A second try has the same key, so that no image is left without a record.
    const key = `signing/${envelope}/page-${file}-${page}-${width}`
    await sql.reserveObject(source.accountId, key, drawn.contentType)
    await store.put(key, drawn.bytes, { contentType: drawn.contentType })
    await sql.storePage(envelope, { file, page, width }, { key, sizeBytes: drawn.bytes.length })
  },
})
