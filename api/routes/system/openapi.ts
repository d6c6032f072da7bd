import { Type } from 'typebox'
import type { Entry } from '#kit'
import { route } from '../../route.ts'
import type { SurfaceOptions } from '../../surfaces/entries.ts'
import { buildOpenApi } from '../../surfaces/openapi/document.ts'
import { getSurface, sendDocument } from './schema.ts'

const build = (entries: readonly Entry[], options: SurfaceOptions) => ({
  contentType: 'application/json; charset=utf-8',
  text: JSON.stringify(buildOpenApi(entries, options)),
})

export default route({
  at: 'GET /openapi.json',
  summary: 'Get the OpenAPI 3.1 document of the whole service.',
  auth: ['none'],
  reply: { status: 200, schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }) },
  errors: [],
  handle: async (call, context) => {
    sendDocument(call, await getSurface(context, build), 60)
  },
})
