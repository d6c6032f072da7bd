import { readFile } from 'node:fs/promises'
import { Type } from 'typebox'
import { Problem } from '#kit'
import { route } from '../../route.ts'
import { DOCS_ASSETS } from '../../surfaces/docs/page.ts'
import { SAMPLE_FILES } from '../../surfaces/openapi/examples.ts'
import { type PreparedDocument, prepareDocument, sendDocument } from './schema.ts'

/** The files of the printed examples, so that their commands work as they stand. */
const SAMPLES_FOLDER = 'samples/'

const cache = new Map<string, Promise<PreparedDocument>>()

export default route({
  at: 'GET /docs/*',
  summary: 'Get a script, style or image of the reference page, or a sample file of an example.',
  auth: ['none'],
  params: Type.Object({ '*': Type.String() }),
  reply: { status: 200, contentType: 'application/octet-stream' },
  errors: ['NOT_FOUND'],
  hidden: true,
  handle: async call => {
    sendDocument(call, await loadAsset(call.params['*']), 3600)
  },
})

/** Each file is read once: it comes with the installation and changes only with it. */
function loadAsset(name: string): Promise<PreparedDocument> {
  const asset = findAsset(name)
  if (!asset) throw new Problem('NOT_FOUND')
  const loaded = cache.get(name) ?? readFile(asset.file).then(bytes => prepareDocument(asset.contentType, bytes))
  cache.set(name, loaded)
  return loaded
}

function findAsset(name: string): { file: string | URL; contentType: string } | undefined {
  if (Object.hasOwn(DOCS_ASSETS, name)) return DOCS_ASSETS[name]
  const sample = name.startsWith(SAMPLES_FOLDER) && SAMPLE_FILES.get(name.slice(SAMPLES_FOLDER.length))
  return sample ? { file: sample, contentType: 'application/octet-stream' } : undefined
}
