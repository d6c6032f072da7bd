import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { products } from '../tasks/products/index.ts'
import type { RunningProduct, WorkerContext, WorkerProduct } from './context.ts'

const folder = fileURLToPath(new URL('products/', import.meta.url))

/** What products do in a worker, by their names. */
export async function loadProducts(): Promise<ReadonlyMap<string, WorkerProduct>> {
  const named = products.filter(({ name }) => existsSync(`${folder}${name}/open.ts`))
  const loaded = named.map(async ({ name }) => {
    const module: { default?: WorkerProduct } = await import(`${folder}${name}/open.ts`)
    if (!module.default) throw new Error(`workers/products/${name}/open.ts default-exports no part of a worker`)
    return [name, module.default] as const
  })
  return new Map(await Promise.all(loaded))
}

/** Starts what they do as long as the worker lives. */
export function startProducts(context: WorkerContext): RunningProduct {
  const running = [...context.products.values()].flatMap(product => product.start?.(context) ?? [])
  return {
    listens: Object.assign({}, ...running.map(({ listens }) => listens)) as RunningProduct['listens'],
    stop: async () => {
      await Promise.all(running.map(product => product.stop()))
    },
  }
}
