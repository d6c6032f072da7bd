import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { Offers } from '#kit'
import type { Db } from '../sql/db.ts'
import type { ToolReport } from '../sql/worker.ts'
import { products } from '../tasks/products/index.ts'
import type { ApiContext, ProductParts } from './context.ts'
import type { Uploads } from './intake/files/object-routes.ts'
import type { BearerKind } from './intake/identity/authenticate.ts'
import { type CallParts, joinCallParts } from './intake/parts.ts'
import type { LocalTools } from './local-tools.ts'

/** What every product can build on when it is opened. */
export interface PlatformParts extends Pick<ApiContext, 'config' | 'db' | 'log' | 'settings'> {
  databaseUrl: string
}

/** What the least prices of a product follow from. */
export interface PricingParts extends Pick<PlatformParts, 'config'> {
  db: Db
}

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
  /** What its routes need in this process, as workers report their tools. */
  report?(): ToolReport[]
  /** What is uploaded for it into the store by way of the api; the first product that knows a key takes it. */
  uploads?: Uploads
  /** What it does when the database notifies on a channel. */
  listens?: Record<string, (payload: string) => void>
  /** What `changed` announces, such as `roads`. */
  onChange?(what: string): void
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
    report: () => opened.flatMap(product => product.report?.() ?? []),
    uploads: async (key, contentType) => {
      for (const { uploads } of opened) {
        const awaited = await uploads?.(key, contentType)
        if (awaited) return awaited
      }
      return undefined
    },
    listens: Object.assign({}, ...opened.map(({ listens }) => listens)) as Record<string, (payload: string) => void>,
    onChange(what) {
      for (const product of opened) product.onChange?.(what)
    },
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

/** What routes cost at least in this installation, by their names: least-prices.ts of the folder of a product lists it. */
export async function listLeastPrices(parts: PricingParts): Promise<ReadonlyMap<string, bigint>> {
  const lists = await Promise.all(
    listProductFiles('least-prices.ts').map(async file => {
      const module: { default: (parts: PricingParts) => ReadonlyMap<string, bigint> } = await import(file)
      return [...module.default(parts)]
    }),
  )
  return new Map(lists.flat())
}

/** Registers what products answer besides the routes of the catalogue, by a protocol of its own: the endpoints.ts of its folder. */
export async function registerEndpoints(app: FastifyInstance, context: ApiContext): Promise<void> {
  for (const file of listProductFiles('endpoints.ts')) {
    const module: { default: (app: FastifyInstance, context: ApiContext) => void } = await import(file)
    module.default(app, context)
  }
}

/** Every file of the products that a start loads, besides their routes. */
export function listPartFiles(): string[] {
  return [...['open.ts', 'least-prices.ts', 'endpoints.ts'].flatMap(listProductFiles), ...listPageFiles()]
}

/** Every file in the folder of pages of a product default-exports some. */
export function listPageFiles(): string[] {
  return listProductFiles('pages').flatMap(pages =>
    readdirSync(pages).flatMap(file => (file.endsWith('.ts') ? [`${pages}/${file}`] : [])),
  )
}

function listProductFiles(name: string): string[] {
  return products.map(product => `${folder}${product.name}/${name}`).filter(file => existsSync(file))
}
