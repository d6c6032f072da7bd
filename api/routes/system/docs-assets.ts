import { readFile } from 'node:fs/promises'
import { Type } from 'typebox'
import { Problem } from '#kit'
import { route } from '../../route.ts'
import { DOCS_ASSETS } from '../../surfaces/docs/page.ts'
import { type PreparedDocument, prepareDocument, sendDocument } from './schema.ts'

const cache = new Map<string, Promise<PreparedDocument>>()

export default route({
  at: 'GET /docs/*',
  summary: 'Get a script, style or image of the reference page.',
  auth: ['none'],
  params: Type.Object({ '*': Type.String() }),
  reply: { status: 200, contentType: 'application/octet-stream' },
  errors: ['NOT_FOUND'],
  hidden: true,
  handle: async call => {
    sendDocument(call, await loadAsset(call.params['*']), 3600)
  },
})

/** Each file is read once: it comes with an installed package and changes only with it. */
function loadAsset(name: string): Promise<PreparedDocument> {
  const asset = Object.hasOwn(DOCS_ASSETS, name) ? DOCS_ASSETS[name] : undefined
  if (!asset) throw new Problem('NOT_FOUND')
  const loaded = cache.get(name) ?? readFile(asset.file).then(bytes => prepareDocument(asset.contentType, bytes))
  cache.set(name, loaded)
  return loaded
}
