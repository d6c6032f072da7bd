/**
 * A short order of visits that starts with the first and ends with the last: the nearest next, improved by turning parts
 * round as long as that helps.
 */
export function orderVisits(durations: readonly (readonly (number | null)[])[]): number[] {
  const cost = (from: number, to: number) => durations[from]![to] ?? 1e9
  const last = durations.length - 1
  const order = [0]
  const open = new Set(Array.from({ length: Math.max(0, last - 1) }, (_, index) => index + 1))
  while (open.size > 0) {
    const here = order.at(-1)!
    const next = [...open].reduce((best, candidate) => (cost(here, candidate) < cost(here, best) ? candidate : best))
    order.push(next)
    open.delete(next)
  }
  order.push(last)
  return improve(order, cost)
}

function improve(first: number[], cost: (from: number, to: number) => number): number[] {
  const measure = (order: readonly number[]) =>
    order.slice(1).reduce((sum, stop, index) => sum + cost(order[index]!, stop), 0)
  let [best, total] = [first, measure(first)]
  for (let isBetter = true; isBetter; ) {
    isBetter = false
    for (const candidate of listNeighbours(best)) {
      const candidateTotal = measure(candidate)
      if (candidateTotal >= total - 1e-6) continue
      ;[best, total, isBetter] = [candidate, candidateTotal, true]
      break
    }
  }
  return best
}

/** Every order with one part turned round, or one stop moved; the ends stay. */
function* listNeighbours(order: readonly number[]): Generator<number[]> {
  for (let start = 1; start < order.length - 2; start++) {
    for (let end = start + 1; end < order.length - 1; end++) {
      yield [...order.slice(0, start), ...order.slice(start, end + 1).reverse(), ...order.slice(end + 1)]
      const without = [...order.slice(0, start), ...order.slice(start + 1)]
      yield [...without.slice(0, end), order[start]!, ...without.slice(end)]
    }
  }
}
