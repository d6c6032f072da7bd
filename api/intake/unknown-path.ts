import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Entry, Problem } from '#kit'
import { findNearest } from '../../tasks/formats/words/nearest.ts'
import type { Catalog } from '../catalog.ts'

/** Indexes every route registered from now on, to tell a wrong method from an unknown path. */
export function indexRoutes(app: FastifyInstance, catalog: Catalog): (url: string, method: string) => Problem {
  const routes: { methods: string[]; path: RegExp }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    routes.push({ methods: [method].flat().filter(name => name !== 'HEAD'), path: patternOf(url) })
  })
  return (url, method) => {
    const path = url.split('?')[0]!
    const allowed = [...new Set(routes.filter(route => route.path.test(path)).flatMap(({ methods }) => methods))].sort()
    if (allowed.length > 0) return new Problem('METHOD_NOT_ALLOWED', { allowed })
    const meant = findMeant(path, method, catalog.entries)
    return new Problem('NOT_FOUND', {
      ...(meant && { didYouMean: `${meant.method} ${meant.path}` }),
      documentation: '/llms.txt',
    })
  }
}

/**
 * Refuses addresses that end in a slash where a parameter may follow it: a client has filled an empty value in, and would
 * list, make or delete more than it meant. Elsewhere a slash at the end changes nothing.
 */
export function indexParents(app: FastifyInstance): (request: FastifyRequest) => void {
  const parents = new Set<string>()
  app.addHook('onRoute', ({ method, url }) => {
    const [, parent] = /^(\/v1\/.+)\/:\w+$/.exec(url) ?? []
    if (parent !== undefined) for (const name of [method].flat()) parents.add(`${name} ${parent}`)
  })
  return ({ method, routeOptions }) => {
    if (parents.has(`${method} ${routeOptions.url}`)) throw new Problem('NOT_FOUND')
  }
}

/**
 * The entry that was probably meant: its name may stand for its path, and the last word under a wrong family, with a dot, or
 * without its version; that word may also be another one for what it does.
 */
function findMeant(path: string, method: string, entries: readonly Entry[]): Entry | undefined {
  const wanted = simplify(path)
  const candidates = [...entries.filter(entry => entry.method === method), ...entries]
  const [verb] = wanted.split('/').slice(-1)
  const isVerb = ({ path }: Entry) => simplify(path).endsWith(`/${verb}`)
  return (
    candidates.find(({ path, name }) => simplify(path) === wanted || simplify(name) === wanted) ??
    findSimilar(wanted, candidates) ??
    candidates.find(({ path }) => isShortened(wanted, simplify(path))) ??
    candidates.find(entry => wanted.includes('/') && isVerb(entry)) ??
    candidates.find(({ keywords = '' }) => keywords.split(', ').includes(verb!.replaceAll('-', ' ')))
  )
}

/** `account/keys` is short for `account/api-keys`. */
function isShortened(wanted: string, path: string): boolean {
  const at = wanted.lastIndexOf('/') + 1
  const [parent, last] = [wanted.slice(0, at), wanted.slice(at)]
  return at > 0 && path.startsWith(parent) && !path.slice(at).includes('/') && path.endsWith(`-${last}`)
}

function findSimilar(wanted: string, candidates: readonly Entry[]): Entry | undefined {
  const near = findNearest(
    wanted,
    candidates.map(({ path }) => simplify(path)),
    6,
  )
  return candidates.find(({ path }) => simplify(path) === near)
}

/** `/v1/pdf/rotate`, `/pdf/rotate/` and `/v1/pdf.rotate` all become `pdf/rotate`. */
function simplify(path: string): string {
  return path
    .toLowerCase()
    .replace(/^\/(v\d+\/)?/, '')
    .replace(/\/$/, '')
    .replaceAll('.', '/')
    .replaceAll('_', '-')
}

function patternOf(url: string): RegExp {
  const escaped = url.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replaceAll(/:\w+/g, '[^/]+').replace(/\\\*$/, '.+')}/?$`)
}
