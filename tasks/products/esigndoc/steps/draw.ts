import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { step } from '#kit'
import type * as callers from '../../../../sql/esigndoc/steps.ts'
import type { EnvelopeStepDeps } from '../worker-deps.ts'

export default step({
  summary: 'Draw a page of a document as an image for those who sign it.',
  payload: Type.Object({
    account: Type.String({ format: 'uuid' }),
    content: Type.Object({ key: Type.String(), type: Type.String(), sizeBytes: Type.Integer() }),
    ...{ page: Type.Integer(), width: Type.Integer() },
  }),
  async run({ account, content, page, width }, deps: EnvelopeStepDeps<typeof callers>) {
    const { sql, store, documents, signal } = deps
    if (!(await sql.needsPage(account, content.key, page, width))) return
    const drawn = await documents.renderPage({ ...content, name: 'document.pdf' }, page, width, signal)
    // A second try has the same key, so that no image is left without a record.
    const name = createHash('sha256').update(`${content.key} ${page} ${width}`).digest('hex').slice(0, 32)
    const key = `signing/${account}/page-${name}`
    const image = { account, contentKey: content.key, key }
    if (!(await sql.reservePage(image, drawn.contentType))) return
    await store.put(key, drawn.bytes, { contentType: drawn.contentType })
    if (!(await sql.storePage({ ...image, page, width, sizeBytes: drawn.bytes.length }))) await store.remove(key)
  },
})
