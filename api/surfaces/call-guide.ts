import type { TSchema } from 'typebox'
import type { Entry } from '#kit'
import { isPaid, rateOf, type SurfaceOptions } from './entries.ts'
import { inlineSamples } from './openapi/examples.ts'
import { type Plain, SHARED_SCHEMAS, toPlainSchema } from './openapi/plain-schema.ts'
import { describePrice, listPrice } from './prices.ts'

/** One call with all that is needed to make it, as JSON: the answer to GET on the address of an operation. */
export function buildCallGuide(entry: Entry, options: SurfaceOptions): Plain {
  const { name, method, path, summary, description, body, reply, errors, examples } = entry
  const { publicUrl, isAvailable } = options
  const [example] = examples
  return {
    name,
    method,
    path,
    summary,
    ...(description !== undefined && { description }),
    isAvailable: isAvailable?.(name) ?? true,
    ...(isPaid(entry) && {
      price: {
        description: describePrice(entry, options.rateOf),
        ...listPrice(entry.price, rateOf(entry, options.rateOf)),
      },
    }),
    ...(body && { fields: toPlainSchema(body) }),
    ...(example && { example: inlineSamples(example.input) }),
    ...(reply.schema && { response: toPlainSchema(reply.schema) }),
    errors,
    components: { schemas: findSharedSchemas([body, reply.schema]) },
    documentation: `${publicUrl}/llms-full.txt#${name}`,
    openapi: `${publicUrl}/openapi.json`,
  }
}

/** The schemas that these refer to, under the name by which they do. */
function findSharedSchemas(schemas: readonly (TSchema | undefined)[]): Plain {
  const text = JSON.stringify(schemas.map(schema => schema && toPlainSchema(schema)))
  const used = Object.entries(SHARED_SCHEMAS).filter(([name]) => text.includes(`"#/components/schemas/${name}"`))
  return Object.fromEntries(used)
}
