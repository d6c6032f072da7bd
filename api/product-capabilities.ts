import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TSchema } from 'typebox'
import { products } from '../tasks/products/index.ts'
import type { ApiContext } from './context.ts'

/** What of a product works on this installation, as `GET /v1/capabilities` tells it under a name. */
interface Capability {
  name: string
  schema: TSchema
  describe(context: ApiContext): object | Promise<object>
}

const folder = fileURLToPath(new URL('products/', import.meta.url))

/** A file capabilities.ts in the folder of a product default-exports some. */
export async function loadProductCapabilities(): Promise<Capability[]> {
  const files = products.map(({ name }) => `${folder}${name}/capabilities.ts`).filter(file => existsSync(file))
  const modules = await Promise.all(files.map(file => import(file) as Promise<{ default: readonly Capability[] }>))
  return modules.flatMap(module => module.default)
}

export function defineCapability(capability: Capability): Capability {
  return capability
}
