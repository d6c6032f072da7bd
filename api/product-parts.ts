import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { Offers } from '#kit'
import { products } from '../tasks/products/index.ts'
import type { ApiContext, ProductParts } from './context.ts'
import type { BearerKind } from './intake/identity/authenticate.ts'
import { type CallParts, joinCallParts } from './intake/parts.ts'
import type { LocalTools } from './local-tools.ts'

/** What every product can build on when it is opened. */
export type PlatformParts = Pick<ApiContext, 'config' | 'db' | 'log' | 'settings'>

/** What a product keeps in the process of an api: the default export of api/products/<name>/open.ts makes it. */
export interface OpenedProduct {
  /** Its part of the context, as it declares in `ProductParts`. */
  parts?: Partial<ProductParts>
  /** What it adds to the calls of operations. */
  calls?: CallParts
  /** The tokens that it issues. */
  bearers?: readonly BearerKind[]
  /** What the prices and tools of its operations follow from. */
  offers?: Offers
  /** Tools that only wait for others, so that calls which need no more run in this process. */
  tools?: LocalTools
  /** What it does when the database notifies on a channel. */
  listens?: Record<string, (payload: string) => void>
  /** Notifications may have been missed. */
  onMissed?(): void
  /** The api stops: what waits ends now. */
  stop?(): void
  close?(): Promise<void> | void
}

/** All of them together. */
export interface OpenedProducts extends Required<Omit<OpenedProduct, 'calls'>> {
  parts: ProductParts
}

const folder = fileURLToPath(new URL('products/', import.meta.url))

/** Opens what the products keep, each by the open.ts of its folder, if it has one. */
export async function openProducts(platform: PlatformParts): Promise<OpenedProducts> {
  const opened = await Promise.all(
    listProductFiles('open.ts').map(async file => {
      const module: { default: (platform: PlatformParts) => OpenedProduct | Promise<OpenedProduct> } = await import(
        file
      )
      return module.default(platform)
    }),
  )
  const calls = joinCallParts(opened.map(({ calls = {} }) => calls))
  return {
    parts: Object.assign({ calls }, ...opened.map(({ parts }) => parts)) as ProductParts,
    bearers: opened.flatMap(({ bearers = [] }) => bearers),
    offers: Object.assign({}, ...opened.map(({ offers }) => offers)) as Offers,
    tools: Object.assign({}, ...opened.map(({ tools }) => tools)) as LocalTools,
    listens: Object.assign({}, ...opened.map(({ listens }) => listens)) as Record<string, (payload: string) => void>,
    onMissed() {
      for (const product of opened) product.onMissed?.()
    },
    stop() {
      for (const product of opened) product.stop?.()
    },
    close: async () => {
      await Promise.all(opened.map(async product => product.close?.()))
    },
  }
}

/** Registers what products answer besides the routes of the catalogue, by a protocol of its own: the endpoints.ts of its folder. */
export async function registerEndpoints(app: FastifyInstance, context: ApiContext): Promise<void> {
  for (const file of listProductFiles('endpoints.ts')) {
    const module: { default: (app: FastifyInstance, context: ApiContext) => void } = await import(file)
    module.default(app, context)
  }
}

function listProductFiles(name: string): string[] {
  return products.map(product => `${folder}${product.name}/${name}`).filter(file => existsSync(file))
}
