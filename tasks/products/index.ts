import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { addEvents, addProblems, loadModules, type ProductDeclaration } from '#kit'

// Decision 0215: find products by their folders.

/** A product with its name, which is that of its folder in each layer. */
export interface Product extends ProductDeclaration {
  name: string
  family: string
}

const root = fileURLToPath(new URL('.', import.meta.url))

function listNames(): string[] {
  return readdirSync(root)
    .filter(name => existsSync(fileOf(name)))
    .sort()
}

function fileOf(name: string): string {
  return `${root}${name}/product.ts`
}

async function load(name: string): Promise<Product> {
  const module: { default?: ProductDeclaration } = await import(fileOf(name))
  const declared = module.default
  if (!declared?.title) throw new Error(`tasks/products/${name}/product.ts default-exports no product`)
  return { family: name, ...declared, name }
}

/** Every product there is. Their problems and events belong to the tables of the service once this module is loaded. */
export const products: readonly Product[] = await loadProducts()

async function loadProducts(): Promise<Product[]> {
  const names = listNames()
  await loadModules(names.map(fileOf))
  return Promise.all(names.map(load))
}

for (const { events, problems } of products) {
  addEvents(events ?? {})
  addProblems(problems ?? {})
}
