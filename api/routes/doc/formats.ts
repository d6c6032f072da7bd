import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import {
  CONVERSIONS,
  isLossy,
  MARKUP_FORMATS,
  PDF_STEPS,
  SOURCE_FORMATS,
} from '../../../tasks/formats/markup/formats.ts'
import { route } from '../../route.ts'

const conversions = SOURCE_FORMATS.flatMap(from =>
  CONVERSIONS[from].map(to => ({ from, to, lossy: isLossy(from, to) })),
)
const inputs = SOURCE_FORMATS.map(format => {
  const { extension, mime } = MARKUP_FORMATS[format]
  return { format, extensions: [extension], mime }
})
const composed = [{ to: 'pdf', steps: PDF_STEPS }]

export default route({
  at: 'GET /v1/doc/formats',
  summary: 'List the conversions of POST /v1/doc/convert.',
  keywords: 'matrix, supported formats, pandoc, which document formats, which file formats can be converted',
  auth: ['none'],
  headers: Type.Object({ 'If-None-Match': Type.Optional(Type.String({ description: 'The ETag of a known list.' })) }),
  reply: {
    status: 200,
    schema: Type.Object({
      conversions: Type.Array(Type.Object({ from: Type.String(), to: Type.String(), lossy: Type.Boolean() })),
      inputs: Type.Array(
        Type.Object({ format: Type.String(), extensions: Type.Array(Type.String()), mime: Type.String() }),
      ),
      composed: Type.Array(Type.Object({ to: Type.String(), steps: Type.Array(Type.String()) })),
      engine: Type.Object({ name: Type.String(), version: Type.Optional(Type.String()) }),
    }),
  },
  errors: [],
  handle: ({ request, reply }, { availability }) => {
    const version = availability.tools().find(({ name, ok }) => name === 'pandoc' && ok)?.version
    const body = { conversions, inputs, composed, engine: { name: 'pandoc', ...(version && { version }) } }
    const etag = `"${createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 16)}"`
    reply.header('etag', etag).header('cache-control', 'public, max-age=60')
    if (request.headers['if-none-match'] !== etag) return body
    reply.code(304).send()
    return undefined
  },
})
