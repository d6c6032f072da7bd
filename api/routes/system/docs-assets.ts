import { readFile } from 'node:fs/promises'
import { Type } from 'typebox'
import { Problem } from '#kit'
import { route } from '../../route.ts'
import { DOCS_ASSETS } from '../../surfaces/docs.ts'
import { type Document, documentOf, sendDocument } from './document-shape.ts'

const kept = new Map<string, Promise<Document>>()

export default route({
  at: 'GET /docs/*',
  summary: 'What the reference page is made of.',
  auth: ['none'],
  params: Type.Object({ '*': Type.String() }),
  reply: { status: 200, contentType: 'application/octet-stream' },
  errors: ['NOT_FOUND'],
  hidden: true,
  handle: async asked => {
    sendDocument(asked, await assetOf(asked.params['*']), 3600)
  },
})

/** Read once: the files come with the installed package and change only with it. */
function assetOf(name: string): Promise<Document> {
  const asset = Object.hasOwn(DOCS_ASSETS, name) ? DOCS_ASSETS[name] : undefined
  if (!asset) throw new Problem('NOT_FOUND')
  const read = kept.get(name) ?? readFile(asset.file).then(bytes => documentOf(asset.contentType, bytes))
  kept.set(name, read)
  return read
}
