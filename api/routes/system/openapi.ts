import { Type } from 'typebox'
import { type Entry, Problem } from '#kit'
import { findNearest } from '../../../tasks/formats/words/nearest.ts'
import { route } from '../../route.ts'
import type { SurfaceOptions } from '../../surfaces/entries.ts'
import { buildOpenApi } from '../../surfaces/openapi/document.ts'
import { getSurface, sendDocument } from './schema.ts'

const MAX_NAMES = 50

export default route({
  at: 'GET /openapi.json',
  summary: 'Get the OpenAPI 3.1 document of the whole service, of one family, or of some operations.',
  keywords: 'openapi, swagger, api schema, specification, client generator',
  tool: false,
  auth: ['none'],
  query: Type.Object({
    family: Type.Optional(Type.String({ maxLength: 50, description: 'One family, such as pdf.' })),
    operations: Type.Optional(
      Type.String({ maxLength: 4000, description: 'Names of calls, such as pdf.merge,pdf.split.' }),
    ),
  }),
  reply: { status: 200, schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }) },
  errors: ['INVALID_PARAM', 'CONFLICTING_OPTIONS'],
  handle: async (call, context) => {
    const { family, operations } = call.query
    if (family !== undefined && operations !== undefined)
      throw new Problem('CONFLICTING_OPTIONS', { fields: ['family', 'operations'] })
    const { entries } = context.catalog
    const names = operations !== undefined ? readNames(operations) : undefined
    if (family !== undefined) checkKnown('family', [family], [...new Set(entries.map(entry => entry.family))])
    if (names)
      checkKnown(
        'operations',
        names,
        entries.map(({ name }) => name),
      )
    const isWanted = (entry: Entry) => (family ? entry.family === family : !names || names.includes(entry.name))
    const address = `openapi.json?${family ?? names?.join() ?? ''}`
    sendDocument(call, await getSurface(context, address, selectAndBuild(isWanted)), 60)
  },
})

function selectAndBuild(isWanted: (entry: Entry) => boolean) {
  return (entries: readonly Entry[], options: SurfaceOptions) => ({
    contentType: 'application/json; charset=utf-8',
    text: JSON.stringify(buildOpenApi(entries.filter(isWanted), options)),
  })
}

function readNames(list: string): string[] {
  const names = [...new Set(list.split(',').map(name => name.trim()))].filter(Boolean).sort()
  if (names.length === 0 || names.length > MAX_NAMES)
    throw new Problem('INVALID_PARAM', { field: 'operations', expected: `1 to ${MAX_NAMES} names` })
  return names
}

function checkKnown(field: string, names: readonly string[], known: readonly string[]): void {
  const unknown = names.find(name => !known.includes(name))
  if (unknown === undefined) return
  const near = findNearest(unknown, known)
  throw new Problem('INVALID_PARAM', { field, unknown, ...(near && { didYouMean: near }), documentation: '/llms.txt' })
}
