import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Type } from 'typebox'
import type { Entry, ProblemCode } from '#kit'
import { listOperations, loadOperations, type NamedOperation, withSteps } from '../tasks/index.ts'
import { type Product, products } from '../tasks/products/index.ts'
import { findScope } from './oauth/scopes.ts'
import type { Route } from './route.ts'

/** A route with what its place says of it: `account.ledger`, from api/routes/account/ledger.ts. */
export interface NamedRoute extends Route {
  name: string
  family: string
  /** The product that it belongs to; undefined for a route of the platform. */
  product?: string
}

/**
 * Everything the service offers, found by walking their folders; nothing else lists it by hand. The lists are replaced, never
 * changed, when the operator adds operations, so that what is made of one can be kept by it.
 */
export interface Catalog {
  readonly operations: readonly NamedOperation[]
  readonly routes: readonly NamedRoute[]
  readonly entries: readonly Entry[]
  /** Counts how often the lists were replaced. */
  readonly version: number
  operation(name: string): NamedOperation | undefined
  /** Offers these beside our own, in place of those before. None has the name, the path or the tool of one of ours. */
  setAdded(added: readonly NamedOperation[]): void
}

const root = fileURLToPath(new URL('.', import.meta.url))
const SHARED = 'schema.ts'

const NO_PRICES: ReadonlyMap<string, bigint> = new Map()

/** What a call costs at least is its base, or without one the rate of each unit. */
function raisePrice(price: NonNullable<Route['price']>, leastMicros = 0n): NonNullable<Route['price']> {
  const name = price.baseMicros > 0n ? 'baseMicros' : 'rateMicros'
  return price[name] < leastMicros ? { ...price, [name]: leastMicros } : price
}

interface CatalogOptions {
  /** Where payments can be settled, everything that has a price can be paid by x402, and says so. */
  isPayable?: boolean
  leastPrices?: ReadonlyMap<string, bigint>
  /** The operations of the operator. */
  added?: readonly NamedOperation[]
}

export async function loadCatalog({ isPayable = false, leastPrices = NO_PRICES, added = [] }: CatalogOptions = {}) {
  const [ours, found] = await Promise.all([loadOperations(), loadRoutes()])
  const routes = found.map(route => ({
    ...route,
    price: route.price && raisePrice(route.price, leastPrices.get(route.name)),
    connectorScope: route.connectorScope ?? findScope(route),
  }))
  return openCatalog({ ours, routes, isPayable }, added)
}

function openCatalog(
  { ours, routes, isPayable }: { ours: NamedOperation[]; routes: readonly NamedRoute[]; isPayable: boolean },
  added: readonly NamedOperation[],
): Catalog {
  const ofRoutes = routes.filter(({ hidden }) => !hidden).map(route => entryOfRoute(route, isPayable))
  let version = 0
  const join = (others: readonly NamedOperation[]) => {
    const operations = [...withSteps(ours, others), ...others]
    const entries = [...operations.map(operation => entryOfOperation(operation, isPayable)), ...ofRoutes]
    return { operations, entries, byName: new Map(operations.map(operation => [operation.name, operation])) }
  }
  let lists = join(added)
  return {
    routes,
    get operations() {
      return lists.operations
    },
    get entries() {
      return lists.entries
    },
    get version() {
      return version
    },
    operation: name => lists.byName.get(name),
    setAdded(others) {
      lists = join(others)
      version += 1
    },
  }
}

/** A folder of routes, and the family that they are published under. */
interface RouteFolder {
  path: string
  family: string
  product?: string
}

function listRouteFolders(): RouteFolder[] {
  const folders = readdirSync(`${root}routes`, { withFileTypes: true }).filter(entry => entry.isDirectory())
  const ofPlatform = folders.map(({ name }) => ({ path: `routes/${name}`, family: name }))
  return [...ofPlatform, ...products.flatMap(listFoldersOfProduct)]
}

/** Its routes are of its own family, and those in a folder of the family that the folder is called. */
function listFoldersOfProduct({ name: product, family }: Product): RouteFolder[] {
  const path = `products/${product}/routes`
  if (!existsSync(root + path)) return []
  const folders = readdirSync(root + path, { withFileTypes: true }).filter(entry => entry.isDirectory())
  const others = folders.map(folder => ({ path: `${path}/${folder.name}`, family: folder.name, product }))
  return [{ path, family, product }, ...others]
}

/** Every file that declares an operation or a route. */
export function listCatalogFiles(): string[] {
  return [...listOperations(), ...listRouteFiles().map(({ file }) => root + file)]
}

function listRouteFiles(): RouteFile[] {
  const files = listRouteFolders().flatMap(({ path, ...place }) =>
    readdirSync(root + path)
      .filter(file => file.endsWith('.ts') && file !== SHARED)
      .map(file => ({ file: `${path}/${file}`, place: { ...place, name: `${place.family}.${file.slice(0, -3)}` } })),
  )
  return files.sort(byName)
}

function loadRoutes(): Promise<NamedRoute[]> {
  return Promise.all(listRouteFiles().map(loadRoute))
}

interface RouteFile {
  file: string
  place: Pick<NamedRoute, 'name' | 'family' | 'product'>
}

function byName({ place: one }: RouteFile, { place: other }: RouteFile): number {
  return one.name < other.name ? -1 : 1
}

async function loadRoute({ file, place }: RouteFile): Promise<NamedRoute> {
  const module: { default?: Route } = await import(root + file)
  if (typeof module.default?.handle !== 'function') throw new Error(`api/${file} exports no route`)
  return { ...module.default, ...place }
}

function entryOfOperation(operation: NamedOperation, isPayable: boolean): Entry {
  const { name, family, path, summary, description, keywords, converts, isFeatured } = operation
  const { price, output, errors, examples } = operation
  return {
    kind: 'operation',
    name,
    family,
    method: 'POST',
    path,
    summary,
    description,
    keywords,
    converts,
    tool: toolName(name),
    isFeatured,
    auth: isPayable ? ['key', 'wallet', 'x402'] : ['key', 'wallet'],
    body: operation.input,
    reply: { status: 200, schema: output, dryRun: operation.dryRun?.output },
    problemSchema: operation.problemForm?.schema,
    price,
    tools: operation.uses,
    optionalTools: operation.optional,
    anyOfTools: operation.anyOf,
    errors,
    stepErrors: operation.stepErrors,
    examples,
  }
}

function toolName(name: string): string {
  return name.replaceAll(/[.-]/g, '_')
}

/** Routes are tools too, except those for browsers and those that declare that they are none. */
function toolOfRoute({ name, tool, auth }: NamedRoute): string | undefined {
  if (tool === false || auth.includes('session')) return undefined
  return tool ?? toolName(name)
}

/** Documents know no wildcard: what takes the rest of the path is printed as one parameter. */
const KEY = Type.Object({ key: Type.String() })

/** Wallets are asked to sign in only where they can pay. Of a route that is open to some, its declaration says whether. */
function listErrors({ errors, price, auth }: NamedRoute, isPayable: boolean): readonly ProblemCode[] {
  if (!isPayable) return errors.filter(code => code !== 'SIGN_IN_REQUIRED')
  const offersSignIn = !price && auth.includes('wallet') && !auth.includes('none')
  return offersSignIn ? [...new Set([...errors, 'SIGN_IN_REQUIRED' as const])] : errors
}

function entryOfRoute(route: NamedRoute, isPayable: boolean): Entry {
  const [method, path] = route.at.split(' ') as [Entry['method'], string]
  const { name, family, summary, description, keywords, isFeatured } = route
  const { auth, servesPayments, params, query, headers, body, streamBody, reply, price } = route
  return {
    kind: 'route',
    name,
    family,
    method,
    path: path.replace(/\*$/, '{key}'),
    summary,
    description,
    keywords,
    tool: toolOfRoute(route),
    isFeatured,
    auth: isPayable ? auth : auth.filter(mode => mode !== 'x402'),
    servesPayments,
    params: path.endsWith('/*') ? KEY : params,
    query,
    headers,
    body,
    streamBody,
    reply,
    problemSchema: route.problemForm?.schema,
    price,
    tools: route.needs ?? [],
    errors: listErrors(route, isPayable),
    examples: route.examples ?? [],
  }
}
