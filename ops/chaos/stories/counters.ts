import { must } from '../broken-promise.ts'
import { story } from '../story.ts'

/** A counter has what was added to it, each addition once. */
export default story({
  callers: 2,
  async open({ customer, newName }) {
    const name = newName('counter')
    const path = `/v1/bridge/counters/${name}`
    const seen = new Set<number>()
    let sum = 0
    return {
      async step(random) {
        const add = random.int(1, 9)
        const { status, body, text } = await customer.buy({ subject: name, path, body: { add }, key: newName('add') })
        must(status === 200, 'A counter can be added to.', name, `${status} ${text}`)
        must(!seen.has(body.value), 'Two additions to a counter have two results.', name, body)
        seen.add(body.value)
        sum += add
      },
      async check() {
        if (sum === 0) return 0
        const { body } = await customer.insist({ subject: name, method: 'GET', path })
        must(body.value === sum, 'Every acknowledged addition to a counter counts once.', name, { ...body, sum })
        return seen.size
      },
    }
  },
})
