import type { Entry } from '#kit'
import { guide } from './guide.ts'
import { components } from './openapi-components.ts'
import { operationObject } from './openapi-operation.ts'
import { type Plain, SHARED_SCHEMAS } from './plain-schema.ts'
import { shareResponses } from './repeated-responses.ts'
import { byFamily, familyInWords, isPaid, SUMMARY, type SurfaceOptions, shown } from './surface.ts'

export interface OpenApiDocument extends Plain {
  openapi: '3.1.0'
  paths: Record<string, Record<string, Plain>>
}

/** The whole catalogue as OpenAPI 3.1: TypeBox is JSON Schema already, so this arranges and translates nothing. */
export function openapi(catalog: readonly Entry[], options: SurfaceOptions): OpenApiDocument {
  const entries = shown(catalog)
  const isPayable = entries.some(({ auth }) => auth.includes('x402'))
  const paths: OpenApiDocument['paths'] = {}
  for (const entry of entries) {
    paths[entry.path] = {
      ...paths[entry.path],
      [entry.method.toLowerCase()]: operationObject(entry, options, isPayable),
    }
  }
  const responses = shareResponses(paths)
  return {
    openapi: '3.1.0',
    info: {
      title: 'coinop',
      version: options.version,
      summary: SUMMARY,
      description: guide(entries, options).join('\n\n'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: options.publicUrl }],
    tags: tagsOf(entries),
    paths,
    components: components(usesOf(entries, { paths, responses }), responses),
  }
}

function tagsOf(entries: readonly Entry[]): Plain[] {
  return [...byFamily(entries).keys()].map(name => ({ name, description: familyInWords(name) }))
}

/** Components nobody refers to are left out: linters rightly call them dead. */
function usesOf(entries: readonly Entry[], document: Plain) {
  const printed = JSON.stringify(document)
  return {
    schemas: Object.keys(SHARED_SCHEMAS).filter(name => printed.includes(`"#/components/schemas/${name}"`)),
    auth: new Set(entries.flatMap(({ auth }) => auth)),
    hasPaid: entries.some(isPaid),
    hasOperations: entries.some(({ kind }) => kind === 'operation'),
  }
}
