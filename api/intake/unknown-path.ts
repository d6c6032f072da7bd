import type { FastifyInstance } from 'fastify'
import { Problem } from '#kit'

/** Learns every path that is registered from now on, to tell a wrong method from a path that is not there. */
export function knowPaths(app: FastifyInstance): (url: string) => Problem {
  const doors: { methods: string[]; path: RegExp }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    doors.push({ methods: [method].flat().filter(name => name !== 'HEAD'), path: patternOf(url) })
  })
  return url => {
    const path = url.split('?')[0]!
    const allowed = [...new Set(doors.filter(door => door.path.test(path)).flatMap(({ methods }) => methods))]
    return allowed.length > 0 ? new Problem('METHOD_NOT_ALLOWED', { allowed }) : new Problem('NOT_FOUND')
  }
}

function patternOf(url: string): RegExp {
  const escaped = url.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replaceAll(/:\w+/g, '[^/]+').replace(/\\\*$/, '.+')}/?$`)
}
