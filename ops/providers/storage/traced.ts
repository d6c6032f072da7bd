import { trace } from '../../tracing/trace.ts'
import type { ObjectStore } from './contract.ts'

/** What reads, writes or asks. Keys are random, but they open what they name, so no span has one. */
const TRACED = new Set<string | symbol>(['put', 'putFile', 'read', 'stat', 'remove', 'fetchTo'])

/** The same store, each of whose calls is a span of the trace that it belongs to. */
export function traceStore(store: ObjectStore): ObjectStore {
  const calls = new Map<string | symbol, unknown>()
  return new Proxy(store, {
    get(target, name) {
      const known = calls.get(name)
      if (known !== undefined) return known
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      const call = member.bind(target) as (...args: unknown[]) => Promise<unknown>
      const traced = TRACED.has(name)
        ? (...args: unknown[]) =>
            trace(`storage ${String(name)}`, { 'coinop.store': target.kind }, () => call(...args), 'client')
        : call
      calls.set(name, traced)
      return traced
    },
  })
}
