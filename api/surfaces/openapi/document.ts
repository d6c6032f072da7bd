import type { Entry } from '#kit'
import { describeFamily, groupByFamily, SUMMARY, type SurfaceOptions, withNamedWildcards } from '../entries.ts'
import { buildGuide } from '../guide.ts'
import { buildComponents } from './components.ts'
import { buildOperation } from './operation.ts'
import { type Plain, sharedSchemas } from './plain-schema.ts'
import { shareResponses } from './repeated-responses.ts'
import { buildWebhooks } from './webhooks.ts'

interface OpenApiDocument extends Plain {
  openapi: '3.1.0'
  paths: Record<string, Record<string, Plain>>
}

/** The whole catalogue as OpenAPI 3.1. TypeBox schemas are JSON Schema already, so nothing is translated. */
export function buildOpenApi(catalog: readonly Entry[], options: SurfaceOptions): OpenApiDocument {
  const entries = withNamedWildcards(catalog)
  const isPayable = entries.some(({ auth }) => auth.includes('x402'))
  const paths: OpenApiDocument['paths'] = {}
  for (const entry of entries) {
    paths[entry.path] = {
      ...paths[entry.path],
      [entry.method.toLowerCase()]: buildOperation(entry, options, isPayable),
    }
  }
  const responses = shareResponses(paths)
  const calls = { paths, ...(entries.some(({ family }) => family === 'webhooks') ? { webhooks: buildWebhooks() } : {}) }
  return {
    openapi: '3.1.0',
    info: {
      title: 'coinop',
      version: options.version,
      summary: SUMMARY,
      description: buildGuide(entries, options)
        .map(({ text }) => text)
        .join('\n\n'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: options.publicUrl }],
    tags: buildTags(entries),
    ...calls,
    components: buildComponents(calls, {
      schemas: sharedSchemas(options),
      responses,
      auth: new Set(entries.flatMap(({ auth }) => auth)),
    }),
  }
}

function buildTags(entries: readonly Entry[]): Plain[] {
  return [...groupByFamily(entries).keys()].map(name => ({ name, description: describeFamily(name) }))
}
