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
  /** The calls that are refused here at present, by their names. */
  listRefused?(context: ApiContext): readonly string[] | Promise<readonly string[]>
  /** What they can still be asked for, where they are not refused whatever is asked. */
  stillTaken?: string
}

const folder = fileURLToPath(new URL('products/', import.meta.url))

/** A file capabilities.ts in the folder of a product default-exports some. */
export async function loadProductCapabilities(): Promise<Capability[]> {
  const files = products.map(({ name }) => `${folder}${name}/capabilities.ts`).filter(file => existsSync(file))
  const modules = await Promise.all(files.map(file => import(file) as Promise<{ default: readonly Capability[] }>))
  return modules.flatMap(module => module.default)
}

let loading: Promise<Capability[]> | undefined
/** What each can still be asked for, by their names. */
type Refused = ReadonlyMap<string, string | undefined>

const KEPT_MS = 10_000
const kept = new WeakMap<ApiContext, { until: number; names: Promise<Refused> }>()

/**
 * The calls of products that would be refused here at present, looked up every few seconds at most. While the database is away,
 * nothing is known to be refused.
 */
export function listRefused(context: ApiContext): Promise<Refused> {
  const now = Date.now()
  const known = kept.get(context)
  if (known && known.until > now) return known.names
  const names = findRefused(context).catch((): Refused => new Map())
  kept.set(context, { until: now + KEPT_MS, names })
  return names
}

async function findRefused(context: ApiContext): Promise<Refused> {
  loading ??= loadProductCapabilities()
  const ofProducts = await loading
  const listOne = async ({ listRefused: list, stillTaken }: Capability) =>
    ((await list?.(context)) ?? []).map(name => [name, stillTaken] as const)
  return new Map((await Promise.all(ofProducts.map(listOne))).flat())
}

export function defineCapability(capability: Capability): Capability {
  return capability
}
