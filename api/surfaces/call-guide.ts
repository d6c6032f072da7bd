import type { TSchema } from 'typebox'
import type { Entry } from '#kit'
import { isPaid, priceOf, type SurfaceOptions } from './entries.ts'
import { inlineSamples } from './openapi/examples.ts'
import { type Plain, sharedSchemas, toPlainSchema } from './openapi/plain-schema.ts'
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
        description: describePrice(entry, options.ratesOf),
        ...listPrice(priceOf(entry, options.ratesOf)),
      },
    }),
    ...(body && { fields: toPlainSchema(body) }),
    ...(example && { example: inlineSamples(example.input) }),
    ...(reply.schema && { response: toPlainSchema(reply.schema) }),
    errors,
    components: { schemas: findSharedSchemas([body, reply.schema], options) },
    documentation: `${publicUrl}/llms/${name}.txt`,
    openapi: `${publicUrl}/openapi.json?operations=${name}`,
  }
}

/** The schemas that these refer to, under the name by which they do. */
function findSharedSchemas(schemas: readonly (TSchema | undefined)[], options: SurfaceOptions): Plain {
  const text = JSON.stringify(schemas.map(schema => schema && toPlainSchema(schema)))
  const used = Object.entries(sharedSchemas(options)).filter(([name]) =>
    text.includes(`"#/components/schemas/${name}"`),
  )
  return Object.fromEntries(used)
}
