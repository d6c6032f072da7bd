import { readFile } from 'node:fs/promises'
import { Type } from 'typebox'
import { Problem } from '#kit'
import { route } from '../../route.ts'
import { findDocsRedirect, readDocsAddress } from '../../surfaces/docs/address.ts'
import { findHowTo } from '../../surfaces/how-to/load.ts'
import { readResult, resultFile } from '../../surfaces/how-to/results.ts'
import { SAMPLE_FILES } from '../../surfaces/openapi/examples.ts'
import { sendDocsPage } from './docs.ts'
import { type PreparedDocument, prepareDocument, sendDocument } from './schema.ts'

const ASSETS: Readonly<Record<string, string>> = {
  'docs.css': 'text/css; charset=utf-8',
  'docs.js': 'text/javascript; charset=utf-8',
  'preview.js': 'text/javascript; charset=utf-8',
}
const ASSETS_FOLDER = new URL('../../surfaces/docs/assets/', import.meta.url)
/** The files of the printed examples, so that their commands work as they stand. */
const SAMPLES_PREFIX = 'samples/'

const cache = new Map<string, Promise<PreparedDocument>>()

export default route({
  at: 'GET /docs/*',
  summary: 'Get a page of the reference, as HTML or with .md at its end as Markdown, or a sample file of an example.',
  auth: ['none'],
  params: Type.Object({ '*': Type.String() }),
  reply: { status: 200, contentType: 'application/octet-stream' },
  errors: ['NOT_FOUND'],
  hidden: true,
  handle: async (call, context) => {
    const path = call.params['*']
    const asset = findAsset(path)
    if (asset) return void sendDocument(call, await loadAsset(path, asset), 3600)
    // The addresses in the pages are those without a slash at the end.
    const address = readDocsAddress(path.replace(/\/$/, ''), context.catalog.entries)
    if (address) return sendDocsPage(call, context, address)
    const elsewhere = findDocsRedirect(path, context.catalog.entries)
    if (elsewhere === undefined) throw new Problem('NOT_FOUND', { documentation: '/docs' })
    call.reply.redirect(elsewhere, 308)
  },
})

interface Asset {
  file: URL
  contentType: string
}

function findAsset(path: string): Asset | undefined {
  if (Object.hasOwn(ASSETS, path)) return { file: new URL(path, ASSETS_FOLDER), contentType: ASSETS[path]! }
  const slug = /^how-to\/([a-z-]+)\.webp$/.exec(path)?.[1]
  const page = slug === undefined ? undefined : findHowTo(slug)
  if (page && readResult(page)?.image) return { file: resultFile(page, 'webp'), contentType: 'image/webp' }
  const file = path.startsWith(SAMPLES_PREFIX) ? SAMPLE_FILES.get(path.slice(SAMPLES_PREFIX.length)) : undefined
  return file && { file, contentType: 'application/octet-stream' }
}

/** Each file is read once: it changes only with the installation. */
function loadAsset(path: string, { file, contentType }: Asset): Promise<PreparedDocument> {
  const loaded = cache.get(path) ?? readFile(file).then(bytes => prepareDocument(contentType, bytes))
  cache.set(path, loaded)
  return loaded
}
