import type { ObjectStore } from '../../../ops/providers/storage/contract.ts'

export type Moment = 'before put' | 'after put' | 'after fetchTo'

/** A store in whose work something comes between, once: before or after the first call of a function of it. */
export function interruptStore(store: ObjectStore, moment: Moment, between: () => Promise<unknown>) {
  const [order, name] = moment.split(' ') as ['before' | 'after', 'put' | 'fetchTo']
  const method = store[name]
  const reached: string[] = []
  const call = async (key: string, ...rest: unknown[]) => {
    const isFirst = reached.push(key) === 1
    if (isFirst && order === 'before') await between()
    const done: unknown = await Reflect.apply(method, store, [key, ...rest])
    if (isFirst && order === 'after') await between()
    return done
  }
  const interrupted = new Proxy(store, {
    get(target, part) {
      const found: unknown = part === name ? call : Reflect.get(target, part)
      return typeof found === 'function' && part !== name ? found.bind(target) : found
    },
  })
  /** The keys with which it was called. */
  return { store: interrupted, reached }
}
