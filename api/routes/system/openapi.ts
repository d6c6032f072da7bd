import { Type } from 'typebox'
import type { Entry } from '#kit'
import { route } from '../../route.ts'
import { openapi } from '../../surfaces/openapi.ts'
import type { SurfaceOptions } from '../../surfaces/surface.ts'
import { sendDocument, surfaceOf } from './document-shape.ts'

const make = (entries: readonly Entry[], options: SurfaceOptions) => ({
  contentType: 'application/json; charset=utf-8',
  text: JSON.stringify(openapi(entries, options)),
})

export default route({
  at: 'GET /openapi.json',
  summary: 'The whole service as an OpenAPI 3.1 document.',
  auth: ['none'],
  reply: { status: 200, schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }) },
  errors: [],
  handle: async (asked, floor) => {
    sendDocument(asked, await surfaceOf(floor, make), 60)
  },
})
